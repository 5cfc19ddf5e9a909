import { createId } from '@gatehouse/service-kit';
import type { DirectoryUser } from '@gatehouse/shared';
import { createClientKey, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkExchange } from '../../src/codes/check-exchange.ts';
import { createAuthorizationCodeGrant } from '../../src/grants/authorization-code.ts';
import { createClientCredentialsGrant } from '../../src/grants/client-credentials.ts';
import { createDeviceCodeGrant } from '../../src/grants/device-code.ts';
import { getGrantHandler } from '../../src/grants/grant-handler.ts';
import { createRefreshTokenGrant } from '../../src/grants/refresh-token.ts';
import { createGetSubjectToken, notInForce } from '../../src/grants/subject-token.ts';
import { passwordAuthentication } from '../../src/levels/authentication.ts';
import { buildClient, buildCode, buildDeviceCode, buildRefreshToken, buildUser, start } from '../support/builders.ts';
import { createExchanges } from '../support/exchanges.ts';
import { passwordOf, type Realm, readClaims, type TokenAnswer, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

describe.each(testDialects)('the rules of grants, on %s', (dialect) => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register(webClient);
  });
  afterAll(() => realm.close());

  const refresh = (client: Parameters<Realm['tokenRequest']>[0], { refresh_token = '' }: TokenAnswer) =>
    realm.tokenRequest(client, { grant_type: 'refresh_token', refresh_token });

  it('describe each parameter of each grant type in OpenAPI, with an example that is a request', async () => {
    const { paths } = (await realm.send('/openapi.json')).json<{ paths: Record<string, { post: Operation }> }>();
    const schema = paths['/oauth/token']?.post.requestBody.content[formType]?.schema;
    const properties = schema?.properties ?? {};
    expect(Object.keys(properties).sort()).toEqual([
      ...['client_id', 'client_secret', 'code', 'code_verifier', 'device_code', 'grant_type', 'password'],
      ...['redirect_uri', 'refresh_token', 'requested_token_type', 'resource', 'scope', 'subject_token'],
      ...['subject_token_type', 'username'],
    ]);
    expect(schema?.required).toEqual(['grant_type']);
    const examples = Object.entries(properties).flatMap(
      ([
        name,
        {
          examples: [text = ''],
        },
      ]) => (text === '' ? [] : [[name, text]]),
    );
    expect(Object.fromEntries(examples)).toMatchObject({
      ...{ grant_type: 'password', username: 'user@example.com', password: 'user-password' },
      ...{ client_id: 'my-app', client_secret: 'my-app-secret' },
    });
  });

  it('count every grant type of token requests, also one that nobody used yet', async () => {
    const { grant_types_supported: names } = (await realm.send('/.well-known/openid-configuration')).json<{
      grant_types_supported: string[];
    }>();
    const text = await realm.deps.metrics.print();
    for (const name of names.filter((one) => one !== 'implicit')) {
      expect(text).toContain(`gatehouse_token_requests_total{grant_type="${name}",outcome="issued"}`);
    }
  });

  it('count answers by grant type and outcome, and a grant type that is none as other', async () => {
    await realm.tokens(webClient, passwordOf('user'));
    for (const grant_type of ['magic', '']) await realm.tokenRequest(webClient, { grant_type });
    await realm.tokenRequest(webClient, { ...passwordOf('user'), password: 'wrong' });
    const text = await realm.deps.metrics.print();
    const countOf = (grantType: string, outcome: string) =>
      new RegExp(`^gatehouse_token_requests_total{grant_type="${grantType}",outcome="${outcome}"} (\\d+)$`, 'm').exec(
        text,
      )?.[1];
    expect(countOf('password', 'issued')).toBe('1');
    expect(countOf('password', 'invalid_grant')).toBe('1');
    expect(countOf('other', 'unsupported_grant_type')).toBe('1');
    expect(countOf('other', 'invalid_request')).toBe('1');
  });

  it('let a client with offline access refresh that is not registered for the grant type', async () => {
    const client = { ...webClient, client_id: 'offline', authorized_grant_types: ['password'] };
    await realm.register(client);
    const tokens = await realm.tokens(client, { ...passwordOf('user'), scope: 'openid offline_access' });
    expect((await refresh(client, tokens)).status).toBe(200);
  });

  it('leave the roles of a refreshed token to the ceiling of the client: scope roles is for devices', async () => {
    const tokens = await realm.tokens(webClient, { ...passwordOf('admin'), scope: 'openid' });
    const { access_token: bearer } = (await refresh(webClient, tokens)).json<TokenAnswer>();
    expect(readClaims(bearer)).not.toHaveProperty('ceiling');
    expect((await realm.send('/clients', { bearer })).status).toBe(200);
  });

  it('bind the access token of a confidential client to the key of its proof, and not its refresh token (RFC 9449 5)', async () => {
    const htu = `${realm.authUrl}/oauth/token`;
    const sendBound = async (form: Record<string, string>) => {
      const key = createClientKey();
      const first = await realm.tokenRequest(webClient, form, { dpop: key.proof({ htm: 'POST', htu }) });
      const nonce = String(first.headers['dpop-nonce']);
      return realm.tokens(webClient, form, { dpop: key.proof({ htm: 'POST', htu, nonce }) });
    };
    const tokens = await sendBound(passwordOf('user'));
    expect(tokens.token_type).toBe('DPoP');
    const refreshed = await refresh(webClient, tokens);
    expect([refreshed.status, refreshed.json<TokenAnswer>().token_type]).toEqual([200, 'Bearer']);
    const { refresh_token = '' } = refreshed.json<TokenAnswer>();
    expect((await sendBound({ grant_type: 'refresh_token', refresh_token })).token_type).toBe('DPoP');
  });

  it('exchange no token of a grant whose client is gone, also where nothing was ended yet', async () => {
    const exchanges = createExchanges(realm);
    const [orders, bills] = [await exchanges.resources.create(), await exchanges.resources.create()];
    const app = await exchanges.registerApp([orders, bills]);
    const api = await exchanges.registerApi([app], orders, [orders, bills]);
    const next = await exchanges.registerApi([api], bills, [orders, bills]);
    const own = await realm.tokens(app, { grant_type: 'client_credentials', ...{ resource: orders.resource } });
    const toBills = { resource: bills.resource };
    const { access_token: token } = await exchanges.exchange(api, own.access_token, toBills);
    expect((await exchanges.exchange(next, token, { resource: orders.resource })).token_type).toBe('Bearer');
    // A process that is killed right after it deletes the client ends none of its tokens.
    await realm.deps.database.execute('DELETE FROM clients WHERE client_id = ?', [app.client_id]);
    const refused = await exchanges.request(next, token, { resource: orders.resource });
    expect([refused.status, refused.json<{ error: string }>().error]).toEqual([400, 'invalid_request']);
  });
});

describe('a service account', () => {
  const robot = buildUser({ userType: 'Robot' });
  const decide = (user: DirectoryUser) => {
    const client = buildClient({ serviceAccount: { userId: user.id, username: user.username } });
    const directory = {
      findRecentUser: async (_id: string, suffices: (found: DirectoryUser) => boolean) =>
        suffices(user) ? user : undefined,
    };
    const chosen = { scope: ['openid'], resources: undefined, target };
    const tokenTargets = { chooseForClient: () => chosen };
    const needs = { directory, tokenTargets } as unknown as Parameters<typeof createClientCredentialsGrant>[0];
    const request = { client, parameters: new Map(), context: { requestId: 'x', address: '192.0.2.1' } };
    type Request = Parameters<ReturnType<typeof createClientCredentialsGrant>['decide']>[0];
    return createClientCredentialsGrant(needs).decide(request as unknown as Request);
  };
  const target = { audience: 'https://org.example.com', scope: ['openid'], accessTokenValidity: 60 };

  it('acts as an enabled Robot', async () => {
    expect((await decide(robot)).grant).toMatchObject({ user: robot, target });
  });

  it.each<[string, Partial<DirectoryUser>]>([
    ['is disabled', { enabled: false }],
    ['is a person now', { userType: 'Person' }],
  ])('acts for no user that %s', async (_what, changes) => {
    const refused = expect.objectContaining({ code: 'invalid_grant' });
    await expect(decide({ ...robot, ...changes })).rejects.toEqual(refused);
  });
});

describe('the refusal of a code or token', () => {
  const told = (reason: string) => expect.objectContaining({ reason, message: expect.not.stringContaining(reason) });

  it('tells the log the reason, and the client nothing of it', async () => {
    const code = buildCode({ codeChallenge: undefined, redirectUri: undefined });
    const form = new Map([['code_verifier', 'x']]);
    const downgrade = 'a code_verifier for a code that has no code_challenge';
    expect(() => checkExchange(code, form, undefined)).toThrow(told(downgrade));
    expect(notInForce('it was revoked meanwhile')).toEqual(told('it was revoked meanwhile'));
    const needs = { deviceCodeStore: { find: async () => undefined } };
    const grant = createDeviceCodeGrant(needs as unknown as Parameters<typeof createDeviceCodeGrant>[0]);
    const request = { client: buildClient(), parameters: new Map([['device_code', 'x']]) };
    const polling = grant.decide(request as unknown as Parameters<typeof grant.decide>[0]);
    await expect(polling).rejects.toEqual(told('no such code'));
  });
});

describe('a refresh token', () => {
  const user = buildUser();
  const stored = buildRefreshToken();

  it.each<[string, object, string]>([
    [
      'the user is disabled or has a new password',
      { user: undefined, allowed: stored },
      'the user is disabled or has a new password; sign in again',
    ],
    [
      'the user allows nothing',
      { user, allowed: undefined },
      'the user allows this client nothing; send the user to the authorization endpoint for consent',
    ],
  ])('is refused, and its grant ended, where %s', async (_what, holder, message) => {
    const ended: string[] = [];
    const needs = {
      refreshTokens: { check: async () => stored },
      findHolder: async () => holder,
      revocations: { endGrant: async (grantId: string) => void ended.push(grantId) },
      clock: () => start,
    };
    const grant = createRefreshTokenGrant(needs as unknown as Parameters<typeof createRefreshTokenGrant>[0]);
    const request = { client: buildClient(), parameters: new Map([['refresh_token', 'x']]) };
    const deciding = grant.decide(request as unknown as Parameters<typeof grant.decide>[0]);
    await expect(deciding).rejects.toEqual(expect.objectContaining({ code: 'invalid_grant', message }));
    expect(ended).toEqual([stored.grantId]);
  });
});

describe('what stands behind a subject token', () => {
  const user = buildUser();
  const audience = 'https://orders.example.com';
  const granted = { scope: ['openid', 'email'], resources: [], claims: { idToken: [], userinfo: [] } };
  const thirdParty = { require_consent: true };

  /** `row`: of the refresh token. `allowed`: what the user allows of it. */
  const find = async (found: { metadata?: object; row?: object; allowed?: object }) => {
    const client = buildClient({ metadata: { exchange_audiences: [audience], ...found.metadata } });
    const { clientId, registrationId } = client;
    const claims = { client_id: clientId, aud: audience, grant_id: 'grant', auth_time: 1, scope: 'openid' };
    const nothing = { findByGrant: async () => undefined };
    const needs = {
      findActiveAccessToken: async () => ({ claims, client, user }),
      refreshTokens: { findByGrant: async () => found.row && { registrationId, ...found.row } },
      codes: nothing,
      deviceCodeStore: nothing,
      consents: { findAllowed: async () => found.allowed },
    };
    const getSubjectToken = createGetSubjectToken(needs as unknown as Parameters<typeof createGetSubjectToken>[0]);
    const request = { client, parameters: new Map([['subject_token', 'x']]) };
    return (await getSubjectToken(request as unknown as Parameters<typeof getSubjectToken>[0])).behind;
  };

  it.each<[string, Parameters<typeof find>[0], object]>([
    ['what was granted', { row: granted }, { by: 'row', scope: ['openid', 'email'], resources: [] }],
    ['the scope of the token itself, where no row is left', {}, { by: 'token', scope: ['openid'] }],
    [
      'what its user allows now, of a third-party client',
      { metadata: thirdParty, row: granted, allowed: { scope: ['email'], resources: undefined } },
      { by: 'row', scope: ['email'], resources: undefined },
    ],
    [
      'nothing, of a third-party client whose user allows nothing any more',
      { metadata: thirdParty, row: granted },
      { by: 'row', scope: [], resources: undefined },
    ],
    ['nothing, of a third-party client of which no row is left', { metadata: thirdParty }, { by: 'token', scope: [] }],
  ])('is %s', async (_what, found, behind) => {
    expect(await find(found)).toEqual(behind);
  });

  it('is nothing of an earlier registration of the client', async () => {
    const refused = expect.objectContaining({ reason: 'the grant is of another registration' });
    await expect(find({ row: { ...granted, registrationId: createId() } })).rejects.toEqual(refused);
  });
});

describe('a code that is exchanged', () => {
  const user = buildUser();
  const client = buildClient({ grantGeneration: 2 });
  const target = { audience: 'https://org.example.com', scope: ['openid'], accessTokenValidity: 60 };
  const request = { client, context: { requestId: 'x', address: '192.0.2.1' } };
  const { registrationId } = client;
  const approval = {
    userId: user.id,
    passwordChangedAt: user.passwordChangedAt,
    authentication: passwordAuthentication(start / 1000),
    givesConsent: false,
  };
  const fields = { registrationId, redirectUri: undefined, codeChallenge: undefined, openUntil: undefined, approval };

  /** Gives what exchanges the one code that there is, and the grants that were ended. */
  function prepare(held: { clientGeneration?: number; scope?: string[] }, { isAllowed = true, endsMeanwhile = false }) {
    const ended: string[] = [];
    let isIssued = false;
    const shared = {
      tokenTargets: { chooseOfGrant: () => target },
      findHolder: async (_client: unknown, asked: unknown) => ({ user, allowed: isAllowed ? asked : undefined }),
      revocations: {
        isGrantEnded: async () => isIssued && endsMeanwhile,
        endGrant: async (grantId: string) => void ended.push(grantId),
      },
      issueRefreshToken: async () => {
        isIssued = true;
      },
      clock: () => start,
    };
    const storeOf = (code: object) => ({ find: async () => code, consume: async () => true });
    const [code, deviceCode] = [buildCode({ ...fields, ...held }), buildDeviceCode({ ...fields, ...held })];
    const codeNeeds = { ...shared, codes: storeOf(code) };
    const deviceNeeds = { ...shared, deviceCodeStore: storeOf(deviceCode) };
    const grants = {
      code: createAuthorizationCodeGrant(codeNeeds as unknown as Parameters<typeof createAuthorizationCodeGrant>[0]),
      device_code: createDeviceCodeGrant(deviceNeeds as unknown as Parameters<typeof createDeviceCodeGrant>[0]),
    };
    const exchange = async (kind: keyof typeof grants) => {
      const grant = grants[kind];
      const form = { ...request, parameters: new Map([[kind, 'x']]) };
      const { settle } = await grant.decide(form as unknown as Parameters<typeof grant.decide>[0]);
      await settle?.({ listId: 500_000, index: 7 });
    };
    return { exchange, ended, grantIdOf: { code: code.grantId, device_code: deviceCode.grantId } };
  }
  const kinds = ['code', 'device_code'] as const;
  const refusedFor = (reason: string) => expect.objectContaining({ code: 'invalid_grant', reason });

  it.each(kinds)('ends nothing as a rule: %s', async (kind) => {
    const { exchange, ended } = prepare({}, {});
    await exchange(kind);
    expect(ended).toEqual([]);
  });

  it.each(kinds)('is refused where it is older than the profile of its client: %s', async (kind) => {
    const { exchange } = prepare({ clientGeneration: 1 }, {});
    await expect(exchange(kind)).rejects.toEqual(
      refusedFor('issued before the client was disabled or had its profile'),
    );
  });

  it.each(kinds)('is refused, and its grant ended, where the user allows nothing: %s', async (kind) => {
    const { exchange, ended, grantIdOf } = prepare({}, { isAllowed: false });
    await expect(exchange(kind)).rejects.toEqual(refusedFor('the user has not allowed the client anything'));
    expect(ended).toEqual([grantIdOf[kind]]);
  });

  it.each(kinds)('has its tokens ended where its grant ended while they were issued: %s', async (kind) => {
    const { exchange, ended, grantIdOf } = prepare({}, { endsMeanwhile: true });
    await exchange(kind);
    expect(ended).toEqual([grantIdOf[kind]]);
  });

  it('may have no scope, as of a device that asks for none', async () => {
    await expect(prepare({ scope: [] }, {}).exchange('device_code')).resolves.toBeUndefined();
  });
});

describe('a grant type that is none', () => {
  it('is answered with those that there are', () => {
    const grantType = { parameters: {}, mayUse: () => true, decide: () => Promise.reject(new Error('is not asked')) };
    const grantTypes = new Map(['password', 'refresh_token'].map((name) => [name, grantType]));
    const read = () => getGrantHandler(grantTypes, new Map([['grant_type', 'magic']]), buildClient());
    expect(read).toThrow('grant_type must be one of password, refresh_token');
  });
});

const formType = 'application/x-www-form-urlencoded';
interface Operation {
  requestBody: { content: Record<string, { schema: FormSchema }> };
}
interface FormSchema {
  properties: Record<string, { examples: string[] }>;
  required: string[];
}
