/** The path of the status list that an access token refers to. */
export function statusListPath(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const { uri } = (claims as { status: { status_list: { uri: string } } }).status.status_list;
  return new URL(uri).pathname;
}
