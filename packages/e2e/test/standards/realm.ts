import {
  type Gatehouse,
  quickestDialect,
  type ServiceName,
  startGatehouse,
  useSharedGatehouse,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Registration, registerWith } from '../journeys/support/registration.ts';
import type { Credentials } from '../support/clients.ts';

/**
 * The tests of one standard, against both services as listening processes: those that other standards are asked of too, or,
 * with an environment, some of its own.
 */
export function describeStandard(
  title: string,
  define: (getGatehouse: () => Gatehouse) => void,
  env?: Partial<Record<ServiceName, Record<string, string>>>,
): void {
  describe(title, () => {
    let gatehouse: Gatehouse;
    beforeAll(async () => {
      const dialect = quickestDialect;
      gatehouse = await (env === undefined ? useSharedGatehouse(dialect) : startGatehouse({ dialect, env }));
    });
    afterAll(() => gatehouse?.stop());
    define(() => gatehouse);
  });
}

export type { Registration };

/** Registers a confidential client of the password and authorization-code kind, with changes. */
export function register(gatehouse: Gatehouse, changes: Registration = {}): Promise<Credentials> {
  return registerWith(gatehouse, changes);
}

/** A client that cannot keep a secret (RFC 6749 2.1). */
export const publicKind: Registration = {
  client_secret: undefined,
  authorized_grant_types: ['authorization_code', 'refresh_token'],
};

/** A client of the hybrid flow: of the code, and of the deprecated implicit grant. */
export const hybridKind: Registration = { authorized_grant_types: ['authorization_code', 'implicit'] };

/** A client of the deprecated implicit grant. */
export const implicitKind: Registration = {
  client_secret: undefined,
  authorized_grant_types: ['implicit'],
};
