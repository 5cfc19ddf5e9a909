import { randomBytes } from 'node:crypto';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Accounts, type Credentials, useAccounts, type Visitor } from '../support/account.ts';
import { deviceGrant } from '../support/device.ts';
import { openBody, registerDynamically } from '../support/dynamic-clients.ts';
import { usePreviews } from '../support/previews.ts';
import { administrator, callback, passwordOf, type Realm } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { administerResources, type RegisteredResource } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const [password, mfa, phr] = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa', 'phr'] as const;
const unknownApi = 'https://unknown.example.com/';

describe.each(testDialects)('a preview that issues nothing on %s', (dialect) => {
  let realm: Realm;
  let accounts: Accounts;
  let resources: ReturnType<typeof administerResources>;
  let previews: ReturnType<typeof usePreviews>;
  let api: RegisteredResource;
  let client: Credentials;
  let visitor: Visitor;
  let username: string;
  let forReaders: Replica;
  let withoutMethods: Replica;

  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'open' });
    accounts = await useAccounts(realm);
    resources = administerResources(realm);
    previews = usePreviews(realm);
    api = await resources.create();
    client = await register();
    visitor = await accounts.signIn({ roles: ['DirectoryReader'] });
    username = visitor.user.username;
    [forReaders, withoutMethods] = await Promise.all([
      startReplica(realm, { REQUIRE_MFA: 'DirectoryReader' }),
      startReplica(realm, { PASSKEYS: 'off' }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([forReaders.close(), withoutMethods.close()]);
    await realm.close();
  });

  const register = (changes: object = {}) =>
    accounts.registerClient({
      scope: ['openid', 'profile', ...api.scopes.map(({ name }) => name)],
      resources: [realm.orgUrl, api.resource],
      authorized_grant_types: ['authorization_code', 'password', 'client_credentials', deviceGrant],
      ...changes,
    });
  const registerRobot = async (robot: string) => {
    const own = { client_id: `robot-${randomBytes(6).toString('hex')}`, client_secret: 'a secret of the client' };
    await accounts.organization.create({ username: robot, userType: 'Robot' });
    await realm.register({
      ...own,
      scope: ['openid'],
      authorized_grant_types: ['service_account'],
      srvc_ac_user_name: robot,
    });
    return own;
  };
  const patch = async ({ client_id }: Credentials, json: object) => {
    const answer = await realm.send(`/clients/${client_id}`, { method: 'PATCH', basic: administrator, json });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
  };
  const named = (more: object = {}) => ({ grant_type: 'authorization_code', username, ...more });
  const itself = (more: object = {}) => ({ grant_type: 'client_credentials', ...more });
  /** The refusal, which says in its reason where to look. */
  const expectRefused = async (
    of: { client_id: string },
    json: object,
    [error, where]: readonly [string, RegExp],
    { send }: Pick<Replica, 'send'> = realm,
  ) => {
    const answer = await send(`/clients/${of.client_id}/preview`, { basic: administrator, json });
    expect([answer.status, answer.json()]).toEqual([
      200,
      { issued: false, error, error_description: expect.any(String), reason: expect.stringMatching(where) },
    ]);
    return answer.json<{ error_description: string }>().error_description;
  };
  /** The same error, in the same words, as the client gets. */
  const expectSame = async (
    of: Credentials,
    json: object,
    form: Record<string, string>,
    expected: readonly [string, RegExp],
  ) => {
    const error_description = await expectRefused(of, json, expected);
    const answer = await realm.tokenRequest(of, form);
    expect(answer.json()).toEqual({ error: expected[0], error_description });
  };

  it('says what the client is told, where the client is disabled', async () => {
    const disabled = await register();
    await patch(disabled, { enabled: false });
    await expectSame(disabled, itself(), itself(), ['invalid_client', /disabled.*enabled/]);
    await expectRefused(disabled, named(), ['invalid_client', /disabled.*enabled/]);
  });

  it('says what the client is told, where it has not the grant type', async () => {
    const other = await register({ authorized_grant_types: ['authorization_code'] });
    const expected = ['unauthorized_client', /authorized_grant_types/] as const;
    await expectSame(other, itself(), itself(), expected);
    const robot = { grant_type: 'service_account' };
    await expectSame(other, robot, robot, expected);
    await expectSame(other, named({ grant_type: 'password' }), passwordOf('user'), expected);
    await expectSame(other, named({ grant_type: 'refresh_token' }), { grant_type: 'refresh_token' }, expected);
    const device = { grant_type: deviceGrant, device_code: 'none' };
    await expectSame(other, named({ grant_type: deviceGrant }), device, expected);
    await expectRefused(await register({ authorized_grant_types: ['client_credentials'] }), named(), expected);
  });

  it('says what the client is told, where it has no refresh tokens', async () => {
    const expected = ['unauthorized_client', /refresh_token/] as const;
    const alone = await register({ authorized_grant_types: ['client_credentials', 'refresh_token'] });
    await expectRefused(alone, { grant_type: 'refresh_token' }, expected);
    const offline = await register({
      scope: ['openid', 'offline_access'],
      authorized_grant_types: ['authorization_code'],
      resources: undefined,
    });
    const request = named({ grant_type: 'refresh_token', scope: 'openid' });
    await expectRefused(offline, request, ['invalid_grant', /refresh_token.*offline_access/]);
  });

  it('says what the client is told, where it has not the scope', async () => {
    const expected = ['invalid_scope', /not registered for the scope email; .*scope/] as const;
    const scope = 'openid email';
    await expectSame(client, itself({ scope }), itself({ scope }), expected);
    const byPassword = { grant_type: 'password', scope };
    await expectSame(client, named(byPassword), { ...visitor.user, ...byPassword }, expected);
    await expectRefused(client, named({ scope }), expected);
    await expectRefused(client, named({ scope, grant_type: deviceGrant }), expected);
    await expectRefused(client, itself({ scope: ' ' }), ['invalid_scope', /names nothing/]);
    const ofApi = api.scopes[0]?.name ?? '';
    const ofAnother = ['invalid_scope', /resource.*\/resources/] as const;
    await expectSame(client, itself({ scope: ofApi }), itself({ scope: ofApi }), ofAnother);
  });

  it('says what the client is told, where it may not have the API', async () => {
    const ask = (resource: string) => itself({ resource }) as Record<string, string> & { grant_type: string };
    const other = await resources.create();
    const expected = ['invalid_target', /may not ask for .*resources of the client/] as const;
    await expectSame(client, ask(other.resource), ask(other.resource), expected);
    await expectRefused(client, named({ resource: other.resource }), expected);
    await expectRefused(client, ask(unknownApi), expected);
    const gone = await resources.create();
    const orphan = await register({ scope: ['openid'], resources: [realm.orgUrl, gone.resource] });
    await resources.delete(gone.id);
    await expectSame(orphan, ask(gone.resource), ask(gone.resource), ['invalid_target', /register it at \/resources/]);
  });

  it('says what a client that registered itself is told', async () => {
    const open = await resources.create({ dynamic_clients: true });
    const dynamic = registerDynamically(realm);
    const agent = await dynamic.register({ ...openBody, resources: [open.resource] });
    expect(await previews.preview(agent, named({ resource: open.resource }))).toMatchObject({ issued: true });
    await resources.change(open.id, { dynamic_clients: false });
    const expected = ['invalid_target', /dynamic_clients/] as const;
    await expectRefused(agent, named({ resource: open.resource }), expected);
    await expectRefused(agent, named(), ['invalid_target', /cannot be used.*\/resources/]);
    await patch({ client_id: agent.client_id, client_secret: '' }, { authorized_grant_types: [deviceGrant] });
    await expectRefused(agent, named({ grant_type: deviceGrant }), ['unauthorized_client', /vouches/]);
  });

  it('says what the client is told, where the user is disabled', async () => {
    const person = await accounts.createPerson();
    await accounts.organization.change(person.username, { enabled: false });
    const expected = ['invalid_grant', /is disabled; enable/] as const;
    const byPassword = { grant_type: 'password', username: person.username };
    await expectSame(client, byPassword, { ...byPassword, ...person }, expected);
    for (const grant_type of ['authorization_code', deviceGrant]) {
      await expectRefused(client, { grant_type, username: person.username }, expected);
    }
  });

  it('says what the client is told, where its Robot is disabled or deleted', async () => {
    const robot = `${randomBytes(6).toString('hex')}@example.com`;
    const own = await registerRobot(robot);
    const expected = ['invalid_grant', /Robot.*srvc_ac_user_name/] as const;
    await accounts.organization.change(robot, { enabled: false });
    await expectSame(own, itself(), itself(), expected);
    await accounts.organization.delete(robot);
    await expectSame(own, itself(), itself(), expected);
  });

  it('says what the client is told, where its users are to be asked', async () => {
    const asking = await register();
    // As the release before registered clients.
    await realm.deps.database.execute(
      'UPDATE clients SET metadata = \'{"require_consent":true}\' WHERE client_id = ?',
      [asking.client_id],
    );
    const expected = ['unauthorized_client', /require_consent/] as const;
    const byPassword = { grant_type: 'password', username };
    await expectSame(asking, byPassword, { ...byPassword, ...visitor.user }, expected);
  });

  it('says what the client is told, where the user has a second step', async () => {
    const person = await accounts.signIn();
    await accounts.addCodeApp(person);
    const request = { grant_type: 'password', username: person.user.username };
    const expected = ['invalid_grant', /second step.*authorization_code/] as const;
    await expectSame(client, request, { ...request, ...person.user }, expected);
    await expectRefused(client, named({ grant_type: 'password' }), expected, forReaders);
  });

  it('names the level that the client or the API demands', async () => {
    const codes = { authorized_grant_types: ['authorization_code', deviceGrant] };
    const strict = await register({ ...codes, required_acr: mfa });
    const ofClient = ['login_required', /client demands.*mfa.*required_acr of the client/] as const;
    await expectRefused(strict, named({ acr: password }), ofClient);
    await expectRefused(strict, named({ acr: password, grant_type: deviceGrant }), ofClient);
    const demanding = await resources.create({ required_acr: phr });
    const ofApi = new RegExp(`API ${demanding.resource} demands.*phr.*/resources/${demanding.id}`);
    const other = await register({ scope: ['openid'], resources: [realm.orgUrl, demanding.resource] });
    const request = { resource: demanding.resource, acr: mfa };
    await expectRefused(other, named(request), ['login_required', ofApi]);
    const byPassword = { grant_type: 'password', resource: demanding.resource };
    await expectSame(other, named(byPassword), { ...visitor.user, ...byPassword }, ['invalid_grant', ofApi]);
    await expectRefused(client, named({ acr: password }), ['login_required', /REQUIRE_MFA/], forReaders);
  });

  it('says that nobody can reach the level, where this server has no method of it', async () => {
    const strict = await register({ authorized_grant_types: ['authorization_code', deviceGrant], required_acr: phr });
    const expected = ['unmet_authentication_requirements', /phr.*PASSKEYS/] as const;
    await expectRefused(strict, named(), expected, withoutMethods);
    await expectRefused(strict, named({ grant_type: deviceGrant }), expected, withoutMethods);
    expect(await previews.preview(strict, named())).toMatchObject({ issued: true });
  });

  it('is none where its request names no user, a user too many, or a level too many', async () => {
    const faultsOf = async (json: object) => {
      const { status, json: read } = await previews.send(client.client_id, json);
      return [status, read<{ errors?: { field: string }[] }>().errors?.map(({ field }) => field)];
    };
    for (const grant_type of ['authorization_code', 'password', deviceGrant]) {
      expect(await faultsOf({ grant_type })).toEqual([400, ['username']]);
    }
    expect(await faultsOf(itself({ username, acr: mfa }))).toEqual([400, ['username', 'acr']]);
    expect(await faultsOf(named({ grant_type: 'password', acr: password }))).toEqual([400, ['acr']]);
    for (const grant_type of ['implicit', 'urn:ietf:params:oauth:grant-type:token-exchange', 'unknown', 7]) {
      expect(await faultsOf({ grant_type })).toEqual([400, ['grant_type']]);
    }
    expect(await faultsOf(named({ acr: 'unknown' }))).toEqual([400, ['acr']]);
    expect(await faultsOf(itself({ resource: 'https://a.example.com https://b.example.com' }))).toEqual([
      400,
      ['resource'],
    ]);
    expect(await faultsOf(itself({ nonsense: true }))).toEqual([400, ['nonsense']]);
  });

  it('is none for a user that is not there, or is a Robot', async () => {
    const answers = await Promise.all([
      previews.send(client.client_id, named({ username: 'nobody@example.com' })),
      previews.send(client.client_id, named({ username: 'robot@example.com' })),
      previews.send('nobody', itself()),
    ]);
    expect(answers.map(({ status, json }) => [status, json<{ detail: string }>().detail])).toEqual([
      [404, 'there is no such user'],
      [400, 'a Robot never signs in'],
      [404, 'no client has this client_id'],
    ]);
  });

  it('is refused where the caller lacks a role of the client, of its Robot or of the user, and names it', async () => {
    const idp = await accounts.createPerson({ roles: ['IdpAdministrator'] });
    const caller = { basic: [idp.username, idp.password] };
    const own = { client_id: `low-${randomBytes(6).toString('hex')}`, client_secret: 'a secret of the client' };
    const answer = await realm.send('/clients', {
      basic: [idp.username, idp.password],
      json: { ...own, scope: ['openid'], authorized_grant_types: ['authorization_code'], redirect_uri: callback },
    });
    expect(answer.status).toBe(200);
    const powerful = await accounts.createPerson({ roles: ['SystemAdministrator'] });
    const robot = `${randomBytes(6).toString('hex')}@example.com`;
    await accounts.organization.create({ username: robot, userType: 'Robot' });
    const machine = { client_id: `${own.client_id}-robot`, client_secret: own.client_secret };
    const registration = { ...machine, scope: ['openid'], authorized_grant_types: ['service_account'] };
    await realm.send('/clients', {
      basic: [idp.username, idp.password],
      json: { ...registration, srvc_ac_user_name: robot },
    });
    expect((await previews.send(machine.client_id, itself(), caller)).status).toBe(200);
    await accounts.organization.change(robot, { roles: ['SystemAdministrator'] });
    const details = await Promise.all(
      [
        previews.send(client.client_id, itself(), caller),
        previews.send(machine.client_id, itself(), caller),
        previews.send(own.client_id, named({ username: powerful.username }), caller),
      ].map(async (asked) => {
        const { status, json } = await asked;
        return [status, json<{ detail: string }>().detail];
      }),
    );
    const advice = 'which you lack; ask an administrator with more roles';
    expect(details).toEqual([
      [403, `the client may use the role SystemAdministrator, ${advice}`],
      [403, `the Robot ${robot} has the role SystemAdministrator, ${advice}`],
      [403, `the user ${powerful.username} has the role SystemAdministrator, ${advice}`],
    ]);
    expect((await previews.send(own.client_id, named(), caller)).status).toBe(200);
    const reader = await accounts.createPerson({ roles: ['DirectoryReader'] });
    const refused = await previews.send(own.client_id, named(), { basic: [reader.username, reader.password] });
    expect(refused.status).toBe(403);
    expect((await previews.send(own.client_id, named(), {})).status).toBe(401);
  });

  it('is refused through a third-party application that may not see the details of users', async () => {
    const admin = await accounts.signIn({ roles: ['SystemAdministrator'] });
    const scopes = ['openid', 'roles', 'profile', 'email', 'phone', 'address'];
    const application = await accounts.registerClient({ scope: scopes, require_consent: true });
    const send = async (scope: string, json: object) => {
      const { access_token: bearer } = await accounts.obtainTokens(admin, application, scope);
      const { status } = await previews.send(client.client_id, json, { bearer });
      return status;
    };
    expect(await send('openid roles email', named())).toBe(403);
    expect(await send('openid roles email', itself())).toBe(200);
    expect(await send(scopes.join(' '), named())).toBe(200);
    const robot = await registerRobot(`${randomBytes(6).toString('hex')}@example.com`);
    const { access_token: bearer } = await accounts.obtainTokens(admin, application, 'openid roles');
    expect((await previews.send(robot.client_id, itself(), { bearer })).status).toBe(403);
  });
});
