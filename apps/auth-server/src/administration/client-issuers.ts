import { type ClientMetadata, fieldsProblem, quoteName, unloggedName } from '@gatehouse/shared';
import type { IssuerStore } from '../issuers/issuer-store.ts';

/** Throws a 400 that names the first issuer of credentials that is not registered. Of `federated_credentials` as it is sent. */
export type CheckClientIssuers = (sent: ClientMetadata['federated_credentials'] | null) => Promise<void>;

export function createCheckClientIssuers({
  issuers,
}: {
  issuers: Pick<IssuerStore, 'findByIssuer'>;
}): CheckClientIssuers {
  return async (sent) => {
    for (const name of new Set((sent ?? []).map(({ issuer }) => issuer))) {
      if ((await issuers.findByIssuer(name)) !== undefined) continue;
      const describe = (shown: string) => `must name registered issuers; ${shown} is none`;
      const field = 'federated_credentials';
      throw fieldsProblem([{ field, detail: describe(quoteName(name)), logged: describe(unloggedName) }]);
    }
  };
}
