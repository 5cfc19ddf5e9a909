import { type DirectoryUser, ProblemError, type Role, roles } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { createReplaceClientSecret } from '../../src/administration/change-client.ts';
import {
  chooseCeiling,
  createManageableClients,
  getServiceAccount,
  lowerCeiling,
  raiseCeiling,
} from '../../src/administration/client-ceiling.ts';
import { createCheckClientResources } from '../../src/administration/client-resources.ts';
import {
  chooseGenerations,
  chooseTokenGeneration,
  chooseUpdatedAt,
  endEarlierGenerations,
} from '../../src/administration/client-version.ts';
import { createClientViews } from '../../src/administration/client-view.ts';
import { MissingRoleError, tellMissingRole } from '../../src/administration/missing-role.ts';
import type { Client } from '../../src/clients/client.ts';
import type { Fact } from '../../src/events/event.ts';
import { createOrgApi } from '../../src/resources/org-api.ts';
import { buildClient, buildResource, buildUser, start } from '../support/builders.ts';

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

const clientViews = createClientViews({ clientUseStore: { findAll: async () => new Map() }, clock: () => start });

describe('who may manage a client', () => {
  const manage = (client: Client, administrator: ReturnType<typeof administratorWith>, robot?: DirectoryUser) => {
    const clients = { find: async () => client };
    const directory = { findUserById: async (id: string) => (id === robot?.id ? robot : undefined) };
    return createManageableClients({ clients, clientViews, directory }).getFor(
      { administrator, context },
      client.clientId,
    );
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
  const before = buildClient({
    ...{ tokenGeneration: 3, grantGeneration: 2, codeGeneration: 1 },
    ceiling: ['IdpAdministrator'],
  });
  const disabled = { ...before, enabled: false };
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
    ['that disables it', before, disabled],
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
    ['that enables it', disabled, before],
    ['of a client that is disabled already', disabled, { ...disabled, scope: [] }],
  ])('%s ends nothing', (_what, from, to) => {
    expect(chooseGenerations(from, to)).toEqual({ tokenGeneration: 3, grantGeneration: 2, codeGeneration: 1 });
  });

  it('ends codes and refresh tokens where it gives a profile, and nowhere else', () => {
    expect(chooseGenerations(before, fapi2)).toMatchObject({ tokenGeneration: 4, grantGeneration: 4 });
    expect(chooseGenerations(before, thirdParty)).toMatchObject({ tokenGeneration: 4, grantGeneration: 2 });
  });

  it('ends codes, and no refresh token, where it disables the client', () => {
    expect(chooseGenerations(before, disabled)).toEqual({ tokenGeneration: 4, grantGeneration: 2, codeGeneration: 4 });
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

describe('a new secret of a client', () => {
  const client = buildClient({ tokenGeneration: 1 });
  const replace = async (clientSecret: string | undefined) => {
    const revoked: unknown[] = [];
    const warned: unknown[] = [];
    const stored: { newHash: string; newDigest: string | undefined }[] = [];
    const replaceSecret = createReplaceClientSecret({
      clients: { replaceSecret: async (_client, change) => stored.push(change) === 1 },
      manageableClients: createManageableClients({
        clients: { find: async () => client },
        clientViews,
        directory: { findUserById: async () => undefined },
      }),
      clientSecrets: { hash: async (secret) => `hash of ${secret}` },
      chosenSecrets: { check: () => {}, warnIfShort: (...short) => void warned.push(short) },
      statusLists: { revokeRegistration: async (...registration) => void revoked.push(registration) },
      clock: () => start,
    });
    const by = { administrator: system, context };
    const { secret } = await replaceSecret(client.clientId, { clientSecret, graceSeconds: 0 }, by);
    return { secret, stored, revoked, warned };
  };

  it('is the one that was chosen, of which the log may say that it is short, or one that the server makes', async () => {
    expect(await replace('chosen')).toMatchObject({ secret: 'chosen', warned: [[client.clientId, 'chosen']] });
    const { secret } = await replace(undefined);
    expect(secret).toMatch(/^[\w-]{43}$/);
  });

  it('has a digest beside its hash where the server made it: one that was chosen may be guessed', async () => {
    const [chosen, made] = [await replace('chosen'), await replace(undefined)];
    expect(chosen.stored).toMatchObject([{ newHash: 'hash of chosen', newDigest: undefined }]);
    expect(made.stored).toMatchObject([
      { newHash: expect.stringMatching(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/), newDigest: expect.any(String) },
    ]);
  });

  it('ends tokens that a change before it left to the next one', async () => {
    expect((await replace('chosen')).revoked).toEqual([[client.registrationId, 1]]);
  });
});

describe('the resources of a client that is registered or changed', () => {
  const orgApi = createOrgApi({ baseUrl: 'https://org.example.com', extraScopes: ['reports:read'] });
  const bare = buildResource({ resource: 'https://bare.example.com' });
  const names = bare.scopes.map(({ name }) => name);
  const check = createCheckClientResources({
    orgApi,
    resources: { findByUri: async (uri) => (uri.replace(/\/$/, '') === bare.resource ? bare : undefined) },
  });
  const [slashed, gone] = [`${bare.resource}/`, 'https://gone.example.com/'];
  const ofBare = { resources: [slashed], default_resource: slashed };
  const scoped = (scope: string[], metadata: Client['metadata'] = {}) => check({ scope, metadata }, { scope });
  const fault = (field: string, detail: string) => expect.objectContaining({ errors: [{ field, detail }] });
  const way = 'register the API that has it (POST /resources), and name that API in resources';

  it('are org-api with its extra scopes where it names none', async () => {
    expect(await scoped(['openid', 'reports:read'])).toEqual({});
    const rule = `must be an array of at least one of ${orgApi.scopes.join(', ')}, without repeats`;
    const unknown = fault('scope', `${rule}; unknown scope "${names[0]}": ${way}`);
    await expect(scoped(['openid', ...names])).rejects.toThrow(unknown);
    const metadata = { default_resource: orgApi.uri };
    expect(await check({ scope: ['openid'], metadata }, metadata)).toEqual(metadata);
  });

  it('and of its exchanges exist, and are spelled as they were registered', async () => {
    const metadata = { ...ofBare, exchange_audiences: [slashed, `${orgApi.uri}/`] };
    expect(await check({ scope: names, metadata }, metadata)).toEqual({
      resources: [bare.resource],
      default_resource: bare.resource,
      exchange_audiences: [bare.resource, orgApi.uri],
    });
    const unknown = { exchange_audiences: [slashed, gone] };
    await expect(check({ scope: ['openid'], metadata: unknown }, unknown)).rejects.toThrow(
      fault('exchange_audiences', 'entry 2 must be the URI of a registered resource'),
    );
    expect(await check({ scope: ['openid'], metadata: unknown }, {})).toEqual({
      exchange_audiences: [bare.resource, gone],
    });
  });

  it('may have scopes about a person beside their own, and the first other one is named', async () => {
    expect(await scoped(['openid', ...names], ofBare)).toMatchObject({ resources: [bare.resource] });
    const unknown = fault('scope', `must hold only scopes of its resources; unknown scope "other": ${way}`);
    await expect(scoped(['openid', ...names, 'other', 'more'], ofBare)).rejects.toThrow(unknown);
  });

  it('leave it the scopes of the others where one is gone', async () => {
    const metadata = { resources: [slashed, gone], default_resource: slashed };
    expect(await scoped(names, metadata)).toMatchObject({ resources: [bare.resource, gone] });
  });

  it('give it scopes of up to 2048 characters', async () => {
    const long = 'x'.repeat(2048 - 'openid '.length);
    const scopes = [long, `${long}x`].map((name, index) => ({ id: `${index}`, name, description: '' }));
    const resources = { findByUri: async () => buildResource({ resource: bare.resource, scopes }) };
    const checkLong = (scope: string[]) =>
      createCheckClientResources({ orgApi, resources })({ scope, metadata: ofBare }, { scope });
    expect(await checkLong(['openid', long])).toMatchObject({ resources: [bare.resource] });
    await expect(checkLong(['openid', `${long}x`])).rejects.toThrow(
      fault('scope', 'must have at most 2048 characters in all'),
    );
  });
});

describe('of a change of a client that fails, it is told', () => {
  const fail = async (error: Error) => {
    const told: Fact[] = [];
    const by = { administrator: idp, context };
    await expect(tellMissingRole((fact) => void told.push(fact), by, 'web', Promise.reject(error))).rejects.toBe(error);
    return told;
  };

  it('that the client was kept, where the administrator lacks a role', async () => {
    const { id, username } = idp.user;
    const kept = { type: 'client.kept', administrator: { id, username }, clientId: 'web', context };
    expect(await fail(new MissingRoleError('no'))).toEqual([kept]);
  });

  it.each([
    ['no client', new ProblemError(404, 'no')],
    ['another 403', new ProblemError(403, 'no')],
    ['a failure inside', Object.assign(new Error('away'), { status: 403 })],
  ])('nothing, where the reason is %s', async (_what, error) => expect(await fail(error)).toEqual([]));
});
