/** The error codes this server answers with, and the HTTP status each has unless a caller says otherwise. */
const statusByCode = {
  // RFC 6749 4.1.2.1 and 5.2
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  access_denied: 403,
  server_error: 500,
  temporarily_unavailable: 503,
  // RFC 6750 3.1
  invalid_token: 401,
  insufficient_scope: 403,
  // RFC 8707 2, RFC 9449 5 and 8, RFC 9101 6
  invalid_target: 400,
  invalid_dpop_proof: 400,
  use_dpop_nonce: 400,
  invalid_request_uri: 400,
  invalid_request_object: 400,
  // RFC 8628 3.5
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  // OpenID Connect Core 3.1.2.6
  login_required: 400,
  consent_required: 400,
  interaction_required: 400,
  unmet_authentication_requirements: 400,
  registration_not_supported: 400,
  // RFC 7591 3.2.2
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
} as const;

export type OAuthErrorCode = keyof typeof statusByCode;

export interface OAuthErrorOptions {
  /** HTTP status, where it differs from the code's usual one. */
  status?: number | undefined;
  /** Seconds after which a retry makes sense: the `Retry-After` header. */
  retryAfter?: number | undefined;
  /** For the log only, never sent. */
  reason?: string | undefined;
  /** For the log, in place of the public text. */
  logged?: string | undefined;
  cause?: unknown;
}

/** RFC 6749 5.2, RFC 6750 3: printable ASCII without quotation mark and backslash. */
function toErrorText(description: string): string {
  return description.replaceAll('"', "'").replace(/[^\x20-\x7e]|\\/g, '?');
}

/** A failure as RFC 6749 5.2 words it. `message` is public; `reason` goes to the log. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly reason: string | undefined;
  readonly logged: string | undefined;

  constructor(code: OAuthErrorCode, description: string, options: OAuthErrorOptions = {}) {
    super(toErrorText(description), { cause: options.cause });
    this.code = code;
    this.status = options.status ?? statusByCode[code];
    this.retryAfter = options.retryAfter;
    this.reason = options.reason;
    this.logged = options.logged;
  }
}
