import {
  type Gatehouse,
  quickestDialect,
  type ServiceName,
  startGatehouse,
  useSharedGatehouse,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type Credentials, passwordKind, postClient } from '../support/clients.ts';

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

/** A registration: the documented fields and the metadata of RFC 7591; undefined leaves a field out. */
export type Registration = Record<string, unknown>;

/** Registers a confidential client of the password and authorization-code kind, with changes. */
export async function register(gatehouse: Gatehouse, changes: Registration = {}): Promise<Credentials> {
  // A third-party client takes no password.
  const asking = changes.require_consent === true ? { authorized_grant_types: publicKind.authorized_grant_types } : {};
  const fields: Registration = { ...passwordKind(), ...asking, ...changes };
  const { status, text } = await postClient(gatehouse, fields);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return [String(fields.client_id), String(fields.client_secret ?? '')];
}

/** A client that cannot keep a secret (RFC 6749 2.1). */
export const publicKind: Registration = {
  client_secret: undefined,
  authorized_grant_types: ['authorization_code', 'refresh_token'],
};

/** A client of the deprecated implicit grant. */
export const implicitKind: Registration = {
  client_secret: undefined,
  authorized_grant_types: ['implicit'],
};
