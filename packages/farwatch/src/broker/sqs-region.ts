/** `https://sqs.eu-west-1.amazonaws.com/…` and its older forms name their region. */
export function regionOf(queueUrl: string): string | undefined {
  const host = URL.canParse(queueUrl) ? new URL(queueUrl).hostname : "";
  const [, current, older] = /^(?:sqs\.([a-z0-9-]+)|([a-z0-9-]+)\.queue)\.(?:amazonaws\.|api\.aws$)/.exec(host) ?? [];
  return current ?? older;
}
