/**
 * Why a request is refused. `missing`: it has no token; `malformed`: its header cannot be read; `wrong_scheme`: a bound token
 * came as a bearer token, or the other way round; `proof`: a DPoP proof is missing or wrong;
 * `authentication`: the user has to sign in again, or in another way (RFC 9470); `unavailable`: the keys or the
 * status list cannot be had now.
 */
export type TokenRefusal =
  | 'missing'
  | 'malformed'
  | 'not_valid'
  | 'revoked'
  | 'wrong_scheme'
  | 'proof'
  | 'scope'
  | 'authentication'
  | 'unavailable';

/** The codes of RFC 6750 3.1, RFC 9449 7.1 and RFC 9470 3, and that of RFC 6749 5.2 for 503. */
export type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'insufficient_user_authentication'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'
  | 'temporarily_unavailable';

export interface TokenErrorParts {
  status: 400 | 401 | 403 | 503;
  refusal: TokenRefusal;
  /** Absent where the request has no token (RFC 6750 3.1). */
  code?: TokenErrorCode;
  headers: Readonly<Record<string, string>>;
  /** For the log, never sent. */
  reason?: string | undefined;
  cause?: unknown;
}

/** A request is refused. Answer its `status` with its `headers`; the message is public, the reason is for the log. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly status: TokenErrorParts['status'];
  /** The same as `status`, for frameworks that look there. */
  readonly statusCode: number;
  readonly refusal: TokenRefusal;
  readonly code: TokenErrorCode | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string | undefined;

  constructor(message: string, { status, refusal, code, headers, reason, cause }: TokenErrorParts) {
    super(message, { cause });
    this.status = status;
    this.statusCode = status;
    this.refusal = refusal;
    this.code = code;
    this.headers = headers;
    this.reason = reason;
  }

  /** The body of RFC 6749 5.2. */
  toJSON(): { error?: TokenErrorCode; error_description: string } {
    return { ...(this.code === undefined ? {} : { error: this.code }), error_description: this.message };
  }
}
