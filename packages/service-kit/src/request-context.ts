/** The values of the HTTP request that rules work for. */
export interface RequestContext {
  /** auth-server sends it on to org-api, so that one id finds the log lines of both services. */
  requestId: string;
  /** The caller's IP address, to slow guessing. */
  address: string;
}
