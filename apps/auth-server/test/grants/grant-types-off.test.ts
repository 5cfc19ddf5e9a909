import { createLogger } from '@gatehouse/service-kit';
import { deviceCodeGrantType, tokenExchangeGrantType } from '@gatehouse/shared';
import { createTestBrowser, readLog, type TestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizePath, codeRequest, readRedirect, signIn } from '../support/browser.ts';
import { openBody, registerDynamically } from '../support/dynamic-clients.ts';
import { administrator, callback, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const names = [
  ...['client_credentials', 'password', 'implicit', 'service_account'],
  ...[deviceCodeGrantType, tokenExchangeGrantType],
];

/** It was registered when nothing was off, and has everything that one client can have. */
const full = {
  ...webClient,
  client_id: 'full',
  authorized_grant_types: [
    ...['authorization_code', 'refresh_token', 'password', 'client_credentials', 'implicit'],
    ...[deviceCodeGrantType, tokenExchangeGrantType],
  ],
};
const robot = {
  client_id: 'robot',
  client_secret: 'robot-secret',
  scope: ['roles'],
  authorized_grant_types: ['service_account', 'client_credentials'],
  redirect_uri: undefined as never,
  srvc_ac_user_name: 'robot@example.com',
};

describe.each(testDialects)('GRANT_TYPES_OFF on %s', (dialect) => {
  let realm: Realm;
  /** Of the same realm, with all of them off. */
  let off: Replica;
  let signedIn: TestBrowser;
  const log = createLogger('test', 'info');
  const linesOf = readLog(log);

  beforeAll(async () => {
    realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'token' });
    await realm.register({ ...full, ...{ exchange_audiences: [realm.orgUrl] } });
    await realm.register(robot);
    await realm.register({ ...full, client_id: 'disabled', authorized_grant_types: ['password'] });
    await realm.register({ ...webClient, client_id: 'plain', authorized_grant_types: ['authorization_code'] });
    const json = { enabled: false };
    await realm.send('/clients/disabled', { method: 'PATCH', basic: administrator, json });
    off = await startReplica(realm, { GRANT_TYPES_OFF: `${names.join(' ')} password` }, { log });
    signedIn = createTestBrowser();
    await signIn(realm, { ...codeRequest, client_id: full.client_id }, { browser: signedIn });
  });
  afterAll(async () => {
    await off?.close();
    await realm?.close();
  });

  type Sender = Pick<Replica, 'send'>;
  const basicOf = ({ client_id, client_secret }: { client_id: string; client_secret: string }): [string, string] => [
    client_id,
    client_secret,
  ];
  const errorAt = async ({ send }: Sender, path: string, form: Record<string, string>, client = full) => {
    const answer = await send(path, { basic: basicOf(client as typeof full), form });
    return [answer.status, answer.json<{ error?: string }>().error];
  };
  const faultOf = async (method: string, path: string, json: object) => {
    const headers = { accept: 'application/problem+json' };
    const answer = await off.send(path, { method, basic: administrator, json, headers });
    return [answer.status, answer.json<{ detail: string }>().detail];
  };

  it('says at the start how many clients have one, disabled ones too', () => {
    const said = linesOf().filter((line) => JSON.stringify(line).includes('GRANT_TYPES_OFF'));
    expect(said).toEqual([
      expect.objectContaining({
        msg: `GRANT_TYPES_OFF switches off ${names.join(', ')}; clients that are registered for one of these: 3`,
      }),
    ]);
  });

  it.each(names)('refuses a client that is to get %s', async (name) => {
    const detail = `authorized_grant_types must not have ${name}: GRANT_TYPES_OFF switches that off here`;
    const more = name === 'service_account' ? { redirect_uri: undefined, srvc_ac_user_name: 'robot@example.com' } : {};
    const json = { ...webClient, client_id: 'new', authorized_grant_types: [name], ...more };
    const exchange = name === tokenExchangeGrantType ? { exchange_audiences: [realm.orgUrl] } : {};
    const [status, detailOfNew] = await faultOf('POST', '/clients', { ...json, ...exchange });
    expect([status, detailOfNew]).toEqual([400, expect.stringContaining(detail)]);
    // Also one that has it.
    expect(await faultOf('PATCH', '/clients/full', { authorized_grant_types: ['authorization_code', name] })).toEqual([
      400,
      detail,
    ]);
  });

  it('leaves a client what it has, and lets all else be changed', async () => {
    const json = { access_token_validity: 901 };
    const answer = await off.send('/clients/full', { method: 'PATCH', basic: administrator, json });
    expect(answer.json()).toMatchObject({ ...json, authorized_grant_types: full.authorized_grant_types });
  });

  it('lets a client register itself for the rest (RFC 7591)', async () => {
    const { createToken } = registerDynamically(realm);
    const register = async (json: object, limits: string[]) => {
      const bearer = await createToken({ grant_types: limits });
      return off.send('/oauth/register', { bearer, json: { ...openBody, ...json } });
    };
    const both = ['authorization_code', deviceCodeGrantType];
    const refused = await register({ grant_types: [deviceCodeGrantType] }, both);
    expect(refused.json()).toEqual({
      error: 'invalid_client_metadata',
      error_description: 'grant_types must be among authorization_code',
    });
    expect((await register({}, both)).json()).toMatchObject({ grant_types: ['authorization_code'] });
    const nothingLeft = await register({ redirect_uris: [] }, [deviceCodeGrantType]);
    expect(nothingLeft.json()).toMatchObject({
      error: 'invalid_client_metadata',
      error_description: expect.stringContaining('grant_types has no choice'),
    });
  });

  it.each<[string, Record<string, string>]>([
    ['password', passwordOf('user')],
    ['client_credentials', {}],
    [deviceCodeGrantType, { device_code: 'x' }],
    [tokenExchangeGrantType, { subject_token: 'x' }],
  ])('refuses %s at the token endpoint', async (grant_type, form) => {
    const unsupported = [400, 'unsupported_grant_type'];
    expect(await errorAt(off, '/oauth/token', { ...form, grant_type })).toEqual(unsupported);
    expect(await errorAt(realm, '/oauth/token', { ...form, grant_type })).not.toEqual(unsupported);
  });

  it('refuses a service account by either of its names', async () => {
    const replica = await startReplica(realm, { GRANT_TYPES_OFF: 'service_account' });
    const ofRobot = robot as unknown as typeof full;
    try {
      for (const grant_type of ['service_account', 'client_credentials']) {
        const unsupported = [400, 'unsupported_grant_type'];
        expect(await errorAt(replica, '/oauth/token', { grant_type }, ofRobot)).toEqual(unsupported);
        expect(await errorAt(realm, '/oauth/token', { grant_type }, ofRobot)).toEqual([200, undefined]);
      }
      expect(await errorAt(replica, '/oauth/token', { grant_type: 'client_credentials' })).toEqual([200, undefined]);
    } finally {
      await replica.close();
    }
  });

  it('gives no device code', async () => {
    const path = '/oauth/device_authorization';
    expect(await errorAt(off, path, {})).toEqual([400, 'unsupported_grant_type']);
    expect(await errorAt(realm, path, {})).toEqual([200, undefined]);
  });

  it.each(['token', 'id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'])(
    'refuses response_type %s, where implicit is off',
    async (response_type) => {
      const request = { ...codeRequest, client_id: full.client_id, nonce: 'n', response_type };
      expect(readRedirect(await off.send(authorizePath(request))).parameters.error).toBe('unsupported_response_type');
      const pushed = await errorAt(off, '/oauth/par', { response_type, redirect_uri: callback, nonce: 'n' });
      expect(pushed).toEqual([400, 'unsupported_response_type']);
      const answered = readRedirect(await signedIn.get(realm.url + authorizePath(request)));
      expect([answered.inFragment, answered.parameters.error]).toEqual([true, undefined]);
    },
  );

  it('lets codes and refresh tokens go on, also those of grants from before', async () => {
    const { refresh_token = '' } = await realm.tokens(full, { ...passwordOf('user'), scope: 'openid offline_access' });
    const form = { grant_type: 'refresh_token', refresh_token };
    expect(await errorAt(off, '/oauth/token', form)).toEqual([200, undefined]);
    const answer = await signedIn.get(realm.url + authorizePath({ ...codeRequest, client_id: full.client_id }));
    const { code = '' } = readRedirect(answer).parameters;
    const redemption = { grant_type: 'authorization_code', code, redirect_uri: callback };
    expect(await errorAt(off, '/oauth/token', redemption)).toEqual([200, undefined]);
  });

  it('previews none of them', async () => {
    const json = { grant_type: 'client_credentials' };
    const answer = await off.send('/clients/full/preview', { basic: administrator, json });
    expect(answer.json()).toMatchObject({ issued: false, error: 'unsupported_grant_type' });
  });

  it.each(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])(
    'leaves them out of %s',
    async (path) => {
      const [here, there] = [(await realm.send(path)).json(), (await off.send(path)).json()] as Record<
        string,
        unknown
      >[];
      expect(there).toMatchObject({
        grant_types_supported: ['authorization_code', 'refresh_token'],
        response_types_supported: ['code'],
      });
      expect(here).toMatchObject({ device_authorization_endpoint: expect.any(String) });
      const { device_authorization_endpoint: _, grant_types_supported, response_types_supported, ...rest } = here ?? {};
      expect(there).toEqual({ ...rest, grant_types_supported: expect.anything(), response_types_supported: ['code'] });
    },
  );
});
