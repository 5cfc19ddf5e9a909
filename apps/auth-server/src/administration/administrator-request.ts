import type { RequestContext } from '@gatehouse/service-kit';
import type { PresentedToken } from '@gatehouse/shared';
import type { AccessTokenClaims } from '../tokens/access-token-claims.ts';

/** What a request says about the administrator who sends it. */
export interface AdministratorRequest {
  /** The header, as it was sent. */
  authorization: string | undefined;
  context: RequestContext;
  /** Throws where a token that is bound to a key comes without a proof of it (RFC 9449 7.1). */
  checkHolder(presented: PresentedToken, claims: AccessTokenClaims): Promise<void>;
}
