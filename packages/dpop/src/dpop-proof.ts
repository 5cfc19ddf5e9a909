import {
  type Clock,
  createVerifyDpopProof as createCheck,
  type DpopNonces,
  type UsedIdentifiers,
  type VerifyDpopProof,
} from '@gatehouse/resource-server/parts';
import { OAuthError } from '@gatehouse/shared';

interface Dependencies {
  nonces: DpopNonces;
  usedIdentifiers: UsedIdentifiers;
  clock: Clock;
}

/** Checks proofs as an authorization server does: with nonces, and by the errors of OAuth (RFC 9449 5, 8). */
export function createVerifyDpopProof(dependencies: Dependencies): VerifyDpopProof {
  return createCheck({
    ...dependencies,
    buildError: (code, message, reason) => new OAuthError(code, message, reason === undefined ? {} : { reason }),
  });
}
