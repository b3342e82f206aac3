import { type ApiError, forbidden } from "../failure/api-error.ts";
import { goQuoted } from "../failure/go-quoted.ts";
import type { AccessRequest, Decision } from "./user.ts";

const html: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** What may not be done, as the real server says it; it writes `&`, `<` and `>` as HTML does. */
function accessText({
  user,
  verb,
  group = "",
  resource = "",
  subresource = "",
  namespace = "",
  path,
}: AccessRequest): string {
  const who = `User ${goQuoted(user.name)} cannot ${verb}`;
  if (path !== undefined) return `${who} path ${goQuoted(path)}`;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${goQuoted(namespace)}`;
  return `${who} resource ${goQuoted(what)} in API group ${goQuoted(group)} ${where}`;
}

/** The 403 for a request that an authorizer has not allowed. */
export function accessRefused(request: AccessRequest, { reason }: Decision): ApiError {
  const text = accessText(request).replace(/[&<>]/g, (character) => html[character] ?? character);
  const { group = "", resource = "", name } = request;
  const subject = request.path === undefined ? { group, resource, name } : { group: "", resource: "" };
  return forbidden(subject, reason === "" ? text : `${text}: ${reason}`);
}
