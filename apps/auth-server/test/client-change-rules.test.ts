import { type DirectoryUser, type Role, roles } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import {
  chooseCeiling,
  createManageableClients,
  getServiceAccount,
  lowerCeiling,
  raiseCeiling,
} from '../src/administration/client-ceiling.ts';
import {
  chooseGenerations,
  chooseTokenGeneration,
  chooseUpdatedAt,
  endEarlierGenerations,
} from '../src/administration/client-version.ts';
import type { Client } from '../src/clients/client.ts';
import { buildClient, buildUser, start } from './support/builders.ts';

const context = { address: '192.0.2.1', requestId: 'x' };
const administratorWith = (...held: Role[]) => ({ user: buildUser({ roles: held }), roles: held });
const [system, idp] = [administratorWith('SystemAdministrator'), administratorWith('IdpAdministrator')];
const robotWith = (...held: Role[]) => buildUser({ username: 'robot@example.com', userType: 'Robot', roles: held });
const problem = (status: number, message: string) => expect.objectContaining({ status, message });
const advice = 'which you lack; ask an administrator with more roles';

describe('the ceiling of a client', () => {
  it('is the roles that its administrator is worth, and goes down to those of one who changes it', () => {
    expect(chooseCeiling(system)).toEqual(roles);
    expect(chooseCeiling(idp)).toEqual(['IdpAdministrator', 'DirectoryReader']);
    expect(lowerCeiling(buildClient(), idp)).toEqual(['IdpAdministrator', 'DirectoryReader']);
    expect(lowerCeiling(buildClient({ ceiling: ['DirectoryReader'] }), system)).toEqual(['DirectoryReader']);
  });

  it('goes up where a SystemAdministrator trusts the client, and by nobody else', () => {
    expect(raiseCeiling(system)).toEqual(roles);
    const refusal = problem(403, 'trusting a client with all roles requires SystemAdministrator');
    expect(() => raiseCeiling(idp)).toThrow(refusal);
    expect(() => raiseCeiling(administratorWith('DirectoryReader'))).toThrow(refusal);
  });
});

describe('who may manage a client', () => {
  const manage = (client: Client, administrator: ReturnType<typeof administratorWith>, robot?: DirectoryUser) => {
    const clients = { find: async () => client };
    const directory = { findUserById: async (id: string) => (id === robot?.id ? robot : undefined) };
    return createManageableClients({ clients, directory }).getFor({ administrator, context }, client.clientId);
  };
  const employing = (robot: DirectoryUser, ceiling: readonly Role[] = []) =>
    buildClient({ ceiling, serviceAccount: { userId: robot.id, username: robot.username } });

  it('is an administrator with every role of its ceiling', async () => {
    for (const client of [buildClient(), buildClient({ ceiling: ['DirectoryReader'] })]) {
      expect(await manage(client, system)).toBe(client);
    }
    const mayUse = (names: string) => problem(403, `the client may use ${names}, ${advice}`);
    await expect(manage(buildClient(), idp)).rejects.toThrow(mayUse('the role SystemAdministrator'));
    const reader = administratorWith('DirectoryReader');
    await expect(manage(buildClient(), reader)).rejects.toThrow(
      mayUse('the roles SystemAdministrator, IdpAdministrator'),
    );
  });

  it('has every role of its Robot as it is now, too', async () => {
    const [weak, powerful] = [robotWith('DirectoryReader'), robotWith('SystemAdministrator')];
    expect((await manage(employing(weak), idp, weak)).serviceAccount?.userId).toBe(weak.id);
    await expect(manage(employing(powerful), idp, powerful)).rejects.toThrow(
      problem(403, `the Robot robot@example.com has the role SystemAdministrator, ${advice}`),
    );
    expect((await manage(employing(powerful), system, powerful)).serviceAccount?.userId).toBe(powerful.id);
  });

  it('needs no role of a Robot that is gone', async () => {
    const gone = robotWith('SystemAdministrator');
    expect((await manage(employing(gone), idp)).serviceAccount?.userId).toBe(gone.id);
  });
});

describe('the Robot that a client is given', () => {
  const give = (user: DirectoryUser | undefined, administrator = idp) =>
    getServiceAccount(
      { findUserByUsername: async () => user },
      { username: 'robot@example.com', administrator, context },
    );
  const mustName = (what: string) => problem(400, `srvc_ac_user_name must name ${what}`);

  it('is an enabled one, with no role that the administrator lacks', async () => {
    const robot = robotWith('DirectoryReader');
    expect(await give(robot)).toEqual({ userId: robot.id, username: robot.username });
    const powerful = robotWith('SystemAdministrator');
    expect(await give(powerful, system)).toMatchObject({ userId: powerful.id });
    await expect(give(powerful)).rejects.toThrow(
      problem(403, `the Robot robot@example.com has the role SystemAdministrator, ${advice}`),
    );
    await expect(give(undefined)).rejects.toThrow(
      mustName('an existing Robot user of the organization; there is no such user'),
    );
    await expect(give({ ...robot, enabled: false })).rejects.toThrow(
      mustName('an enabled Robot user of the organization; this Robot is disabled'),
    );
    await expect(give({ ...robot, userType: 'Person' })).rejects.toThrow(
      mustName('a Robot user of the organization; this user is a Person'),
    );
  });
});

describe('a change of a client', () => {
  const before = buildClient({ tokenGeneration: 3, grantGeneration: 2, ceiling: ['IdpAdministrator'] });
  const thirdParty = { ...before, metadata: { require_consent: true } };
  const fapi2 = { ...before, metadata: { profile: 'fapi2' } } satisfies Client;

  it('is a later version, whatever the clock says', () => {
    const version = (now: number) => chooseUpdatedAt({ ...before, updatedAt: start }, now) - start;
    expect([start - 5_000, start, start + 1, start + 5_000].map(version)).toEqual([1, 1, 1, 5_000]);
  });

  it.each<[string, Client, Client]>([
    ['that makes its users decide what it gets', before, thirdParty],
    ['that takes a role away', before, { ...before, ceiling: [] }],
    ['that gives it a profile', before, fapi2],
  ])('%s ends its access tokens', (_what, from, to) => {
    expect(chooseTokenGeneration(from, to)).toBe(4);
    expect(chooseGenerations(from, to).tokenGeneration).toBe(4);
  });

  it.each<[string, Client, Client]>([
    ['to its scope', before, { ...before, scope: [] }],
    ['that gives it a role', { ...before, ceiling: [] }, before],
    ['of a client whose users decide already', thirdParty, { ...thirdParty, scope: [] }],
    ['that leaves the decision to nobody', thirdParty, before],
    ['of a client with the same profile', fapi2, { ...fapi2, scope: [] }],
    ['that takes a profile away', fapi2, before],
  ])('%s ends nothing', (_what, from, to) => {
    expect(chooseGenerations(from, to)).toEqual({ tokenGeneration: 3, grantGeneration: 2 });
  });

  it('ends codes and refresh tokens where it gives a profile, and nowhere else', () => {
    expect(chooseGenerations(before, fapi2)).toEqual({ tokenGeneration: 4, grantGeneration: 4 });
    expect(chooseGenerations(before, thirdParty)).toEqual({ tokenGeneration: 4, grantGeneration: 2 });
  });

  it('revokes the tokens of earlier generations, where there are any', async () => {
    const revoked: unknown[] = [];
    const statusLists = { revokeRegistration: async (...registration: unknown[]) => void revoked.push(registration) };
    await endEarlierGenerations(statusLists, { ...before, tokenGeneration: 0 });
    expect(revoked).toEqual([]);
    await endEarlierGenerations(statusLists, { ...before, tokenGeneration: 1 });
    expect(revoked).toEqual([[before.registrationId, 1]]);
  });
});
