const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a URL's host stays on this machine (RFC 8252 7.3, and `localhost` by name). */
export function isLoopbackHost(hostname: string): boolean {
  return loopbackHosts.has(hostname);
}
