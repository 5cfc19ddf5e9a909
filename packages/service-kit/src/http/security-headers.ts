/** Seconds for which a browser uses only https for this host (RFC 6797 6.1.1): a year. */
const strictTransportAge = 31_536_000;

/** The headers of every answer. `publicUrl` is the public base of this service. */
export function securityHeadersOf(publicUrl: string): [name: string, value: string][] {
  const headers: [string, string][] = [['x-content-type-options', 'nosniff']];
  // RFC 6797 7.2: never over http.
  if (new URL(publicUrl).protocol === 'https:')
    headers.push(['strict-transport-security', `max-age=${strictTransportAge}`]);
  return headers;
}
