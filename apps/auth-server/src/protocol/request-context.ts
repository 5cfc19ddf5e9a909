/** Where a request came from: what the rules need to know of HTTP. */
export interface Origin {
  /** Passed on to the other service, so that one id finds the lines of both. */
  requestId: string;
  /** The caller's IP address, to slow guessing. */
  address: string;
}
