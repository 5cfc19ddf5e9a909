import { OAuthError } from '@gatehouse/shared';

/** No access token came with a request: the challenge names no error (RFC 6750 3.1). */
export class MissingTokenError extends OAuthError {
  constructor(description: string) {
    super('invalid_token', description, { reason: 'no token was sent' });
  }
}
