/** Headers with which the administrator asks as somebody else: a user of a case's own, whom no server needs to know. */
export function actingAs(user: string, group?: string): Readonly<Record<string, string>> {
  return { "impersonate-user": user, ...(group !== undefined && { "impersonate-group": group }) };
}
