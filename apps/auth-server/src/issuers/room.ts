import type { Database } from '@gatehouse/service-kit/database';
import type { Outbound } from '../outbound/room.ts';
import { createIssuerStore } from './issuer-store.ts';
import { createNamesIssuer, createVerifyFederatedJwt } from './verify-federated-jwt.ts';

export type Issuers = ReturnType<typeof createIssuers>;

/** The issuers whose tokens clients may prove themselves by. */
export function createIssuers({ database, outbound: { keySets } }: { database: Database; outbound: Outbound }) {
  const issuers = createIssuerStore(database);
  return {
    issuers,
    verifyFederatedJwt: createVerifyFederatedJwt({ issuers, keySets }),
    namesIssuer: createNamesIssuer({ issuers }),
  };
}
