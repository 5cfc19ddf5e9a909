/**
 * Why a token is refused. `not_bound`: a service token for another request; `replayed`: one that was used before; `proof`: a DPoP
 * proof is missing or wrong; `missing`: there is no token at all.
 */
export type TokenRefusal =
  | 'not_valid'
  | 'not_bound'
  | 'replayed'
  | 'revoked'
  | 'user_gone'
  | 'user_changed'
  | 'wrong_scheme'
  | 'malformed'
  | 'missing'
  | 'proof';

/** An event, told once by the code that knows it. */
export type Fact =
  | { type: 'token.refused'; kind: 'bearer_token' | 'service_token'; reason: TokenRefusal }
  /** `failed`: the password could not be checked. */
  | { type: 'password.checked'; outcome: 'verified' | 'disabled' | 'wrong' | 'limited' | 'failed' }
  | { type: 'code.checked'; outcome: 'verified' | 'wrong' | 'limited' }
  | { type: 'passkey.checked'; outcome: 'verified' | 'wrong' };

/** Returns at once and never throws. */
export type Tell = (fact: Fact) => void;
