import { randomBytes } from 'node:crypto';
import { createId } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { Client } from '../../src/clients/client.ts';
import type { Fact } from '../../src/events/event.ts';
import { passwordAuthentication } from '../../src/levels/authentication.ts';
import { listIdOf } from '../../src/protocol/token-status.ts';
import { createRefreshTokenEnds } from '../../src/tokens/refresh-token-end.ts';
import { createRefreshTokenUses, type Presenter } from '../../src/tokens/refresh-token-use.ts';
import { createRefreshTokens } from '../../src/tokens/refresh-tokens.ts';
import { start } from './builders.ts';
import { createEnding } from './status.ts';
import type { TestStores } from './stores.ts';

type Stores = TestStores | TestStores['onReplica'];

/** Makes the rule of refresh tokens as each replica has it, of the same keys. */
export function createReplicasOfRule({ clock, tell }: { clock: () => number; tell: (fact: Fact) => void }) {
  const [successorKey, networkKey] = [randomBytes(32), randomBytes(32)];
  return (stores: Stores, database: Pick<Database, 'timeOutOfReach'>, key = Buffer.from(successorKey)) =>
    createRefreshTokens({
      ...stores,
      revocations: createEnding(stores, { clock, tell }).revocations,
      successorKey: key,
      refreshTokenUses: createRefreshTokenUses({ networkKey: Buffer.from(networkKey), database }),
      refreshTokenEnds: createRefreshTokenEnds({ sessionLifetime: 12 * 3_600_000, idleDays: 30, maxDays: 180, clock }),
      clock,
    });
}

/** What a refresh token is issued for, at `start`. */
export function buildIssuedGrant(
  client: Client,
  fields: { scope?: string[]; sessionId?: string; dpopJkt?: string } = {},
) {
  return {
    grantId: createId(),
    registrationId: client.registrationId,
    clientGeneration: 0,
    userId: 'user-id',
    passwordChangedAt: start,
    scope: fields.scope ?? ['openid', 'profile'],
    resources: undefined,
    authentication: passwordAuthentication(start / 1000),
    sessionId: fields.sessionId,
    beganIn: undefined,
    dpopJkt: fields.dpopJkt,
    rolesByScope: false,
    claims: { idToken: [], userinfo: [] },
  };
}

/** Gives a status that it did not give before. */
export function createNextStatus() {
  let lastIndex = 0;
  return (at = start) => {
    lastIndex += 1;
    return { listId: listIdOf(at / 1000), index: lastIndex };
  };
}

/** Whose every request comes now. */
export function buildPresenter(clock: () => number, fields: Partial<Presenter> = {}): Presenter {
  return {
    requestId: 'request-id',
    address: '192.0.2.1',
    dpopJkt: undefined,
    ...fields,
    get presentedAt() {
      return clock();
    },
  };
}
