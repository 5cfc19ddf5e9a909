/** The origin of a request: the only part of HTTP that rules use. */
export interface Origin {
  /** Sent on to org-api, so that one id finds the log lines of both services. */
  requestId: string;
  /** The caller's IP address, to slow guessing. */
  address: string;
}
