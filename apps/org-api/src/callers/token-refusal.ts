import { ProblemError } from '@gatehouse/shared';
import type { Fact, Tell, TokenRefusal } from '../events/event.ts';

const missingText = 'an access token is required; send it in the Authorization header';
/** For who sends a name and a password, as auth-server's administration takes them. */
export const basicText =
  'this API takes no name and password: get an access token at the token endpoint of auth-server, and send it as Authorization: Bearer';

/** Tells why a token is refused, and gives the 401 to throw. `detail` is for the log. */
export type RefuseToken = (reason: TokenRefusal, detail?: string) => ProblemError;

/** For the log, where no `detail` says more. */
const texts: Record<TokenRefusal, string> = {
  not_valid: 'not a token of this realm for this service',
  not_bound: 'the service token is for another request',
  replayed: 'the service token was used before',
  revoked: 'revoked',
  user_gone: 'the user is gone',
  user_changed: 'the user is disabled or has a new password',
  wrong_scheme: 'presented by another scheme than its own',
  malformed: 'malformed Authorization header',
  missing: 'no token was sent',
  proof: 'no DPoP proof of the key that the token is bound to',
};

/** `metadataUrl`: where the metadata of this API stands, for callers from outside (RFC 9728 5.1). */
export function createRefuseToken(
  kind: Extract<Fact, { type: 'token.refused' }>['kind'],
  tell: Tell,
  metadataUrl?: string,
): RefuseToken {
  return (reason, detail = texts[reason]) => {
    tell({ type: 'token.refused', kind, reason });
    // RFC 6750 3: a request without a token is told how to authenticate, and no error code.
    return reason === 'missing'
      ? new ProblemError(401, missingText, {
          challenge: addMetadata('Bearer', metadataUrl),
        })
      : invalidToken(detail, metadataUrl);
  };
}

/** One public text whatever is wrong with the token; the reason is for the log. */
function invalidToken(reason: string, metadataUrl: string | undefined): ProblemError {
  const detail = 'the access token is malformed, expired, revoked or not meant for this service';
  const challenge = addMetadata(`Bearer error="invalid_token", error_description="${detail}"`, metadataUrl);
  return new ProblemError(401, detail, { challenge, reason });
}

/** RFC 9728 5.1: the challenge says where the metadata stands. */
export function addMetadata(challenge: string, metadataUrl: string | undefined): string {
  if (metadataUrl === undefined) return challenge;
  return `${challenge}${challenge.includes('=') ? ',' : ''} resource_metadata="${metadataUrl}"`;
}
