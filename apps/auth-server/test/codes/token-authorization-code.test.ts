import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { purgeExpiredBatch } from '@gatehouse/service-kit/database';
import { type ClientKey, createClientKey, createTestBrowser } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codeRequest, createPkce, obtainCode, readRedirect, signIn } from '../support/browser.ts';
import { administerOrganization } from '../support/organization.ts';
import {
  administrator,
  callback,
  type Realm,
  readClaims,
  startRealm,
  type TokenAnswer,
  webClient,
} from '../support/realm.ts';

const publicClient = {
  ...webClient,
  client_id: 'public',
  client_secret: undefined,
  authorized_grant_types: ['authorization_code', 'refresh_token'],
};

describe('authorization_code of POST /oauth/token (RFC 6749 4.1.3)', () => {
  let realm: Realm;

  beforeAll(async () => {
    realm = await startRealm();
    await realm.register(webClient);
    await realm.register({ ...webClient, client_id: 'other' });
    await realm.register(publicClient);
  });
  afterAll(() => realm.close());

  const formOf = (code: string, extra: Record<string, string> = {}) => ({
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    ...extra,
  });
  const expectInvalidGrant = async (...request: Parameters<Realm['tokenRequest']>) => {
    const answer = await realm.tokenRequest(...request);
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
    return answer.json<{ error_description: string }>().error_description;
  };
  const isActive = async (token: string) =>
    (await realm.send('/oauth/introspect', { basic: ['web', 'web-secret'], form: { token } })).json().active;
  const expectEnded = async ({ access_token, refresh_token = '' }: TokenAnswer) => {
    expect(await isActive(access_token)).toBe(false);
    await expectInvalidGrant(webClient, { grant_type: 'refresh_token', refresh_token });
  };

  it('exchanges a code for what was asked, by the user who signed in', async () => {
    const code = await obtainCode(realm, { scope: 'openid profile', nonce: 'n-0S6_WzA2Mj' });
    const tokens = await realm.tokens(webClient, formOf(code));
    expect(tokens).toMatchObject({ scope: 'openid profile', expires_in: 900, refresh_token: expect.any(String) });
    const id = readClaims(tokens.id_token ?? '');
    expect(id).toMatchObject({
      iss: realm.authUrl,
      aud: 'web',
      nonce: 'n-0S6_WzA2Mj',
      sid: expect.any(String),
      sub: readClaims(tokens.access_token).sub,
      at_hash: createHash('sha256').update(tokens.access_token).digest().subarray(0, 16).toString('base64url'),
    });
    expect(readClaims(tokens.access_token)).toMatchObject({ auth_time: id.auth_time, username: 'user@example.com' });
  });

  it('gives refreshed ID tokens the session of the first, also with offline access', async () => {
    const sessionsOf = async (scope: string) => {
      const first = await realm.tokens(webClient, formOf(await obtainCode(realm, { scope })));
      const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' };
      const second = await realm.tokens(webClient, form);
      return [first, second].map(({ id_token = '' }) => readClaims(id_token).sid);
    };
    const [first, second] = await sessionsOf('openid');
    expect([first, second]).toEqual([expect.any(String), first]);
    const [offline, refreshed] = await sessionsOf('openid offline_access');
    expect([offline, refreshed]).toEqual([expect.any(String), offline]);
  });

  it('ends the tokens of the first use where a code is used twice (RFC 6749 4.1.2)', async () => {
    const code = await obtainCode(realm);
    const tokens = await realm.tokens(webClient, formOf(code));
    expect(await isActive(tokens.access_token)).toBe(true);
    await expectInvalidGrant(webClient, formOf(code));
    await expectEnded(tokens);
  });

  it('notices the second use long after the code has expired, and ends the refreshed tokens as well', async () => {
    const code = await obtainCode(realm);
    const first = await realm.tokens(webClient, formOf(code));
    realm.advance(3_600_000);
    const second = await realm.tokens(webClient, {
      grant_type: 'refresh_token',
      refresh_token: first.refresh_token ?? '',
    });
    await expectInvalidGrant(webClient, formOf(code));
    await expectEnded(second);
  });

  it('gives tokens to at most one of eight who use a code at the same moment, and then ends them', async () => {
    const code = await obtainCode(realm);
    const answers = await Promise.all(Array.from({ length: 8 }, () => realm.tokenRequest(webClient, formOf(code))));
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    for (const answer of won) await expectEnded(answer.json<TokenAnswer>());
  });

  it('notices the second use for 24 hours, through every purge', async () => {
    const code = await obtainCode(realm, { scope: 'openid offline_access' });
    const first = await realm.tokens(webClient, formOf(code));
    const purge = () => purgeExpiredBatch(realm.deps.database, 'authorization_codes', realm.clock());
    realm.advance(24 * 3_600_000 - 60_000);
    await purge();
    const second = await realm.tokens(webClient, {
      grant_type: 'refresh_token',
      refresh_token: first.refresh_token ?? '',
    });
    await expectInvalidGrant(webClient, formOf(code));
    await expectEnded(second);
    // A code that is exchanged in its last second gives an access token that lives a minute longer than that.
    realm.advance(120_000);
    await purge();
    expect(await realm.deps.database.query('SELECT issued_at FROM authorization_codes')).toEqual([]);
  });

  it('ends nothing where another client presents a code that was used', async () => {
    const code = await obtainCode(realm);
    const tokens = await realm.tokens(webClient, formOf(code));
    await expectInvalidGrant({ client_id: 'other', client_secret: 'web-secret' }, formOf(code));
    expect(await isActive(tokens.access_token)).toBe(true);
    await realm.tokens(webClient, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' });
  });

  it('does not take a code that expired unused for a replayed one', async () => {
    const replays = async () => {
      const answer = await realm.send('/audit-events?type=grant.ended', { basic: administrator });
      const { events } = answer.json<{ events: { reason?: string }[] }>();
      return events.filter(({ reason }) => reason === 'code_replayed').length;
    };
    const before = await replays();
    const code = await obtainCode(realm);
    realm.advance(60_000);
    await expectInvalidGrant(webClient, formOf(code));
    await expectInvalidGrant(webClient, formOf(code));
    expect(await replays()).toBe(before);
  });

  it('takes a code for 60 seconds and no longer', async () => {
    const [early, late] = [await obtainCode(realm), await obtainCode(realm)];
    realm.advance(50_000);
    await realm.tokens(webClient, formOf(early));
    realm.advance(10_000);
    await expectInvalidGrant(webClient, formOf(late));
  });

  it('refuses a code issued to another client, which remains good for its own', async () => {
    const code = await obtainCode(realm);
    await expectInvalidGrant({ client_id: 'other', client_secret: 'web-secret' }, formOf(code));
    await realm.tokens(webClient, formOf(code));
  });

  it.each<[string, Record<string, string>]>([
    ['another', { redirect_uri: 'https://evil.example.com/' }],
    ['a trailing slash', { redirect_uri: `${callback}/` }],
    ['an empty', { redirect_uri: '' }],
  ])('refuses %s redirect_uri', async (_case, extra) => {
    await expectInvalidGrant(webClient, formOf(await obtainCode(realm), extra));
  });

  it('needs no redirect_uri where the authorization request had none', async () => {
    const { redirect_uri: _left, ...withoutUri } = codeRequest;
    const { code = '' } = readRedirect(await signIn(realm, { ...withoutUri, scope: 'profile' })).parameters;
    await realm.tokens(webClient, { grant_type: 'authorization_code', code });
  });

  it('takes the registered redirect_uri where the authorization request had none', async () => {
    const { redirect_uri: _left, ...withoutUri } = codeRequest;
    const { code = '' } = readRedirect(await signIn(realm, { ...withoutUri, scope: 'profile' })).parameters;
    await realm.tokens(webClient, formOf(code));
  });

  it('refuses a code once the user is disabled or has a new password', async () => {
    const organization = await administerOrganization(realm);
    const user = { username: 'temp@example.com', password: 'temp-password' };
    await organization.create({ ...user, userType: 'Person' });
    const obtain = async () => readRedirect(await signIn(realm, codeRequest, { user })).parameters.code ?? '';
    const [first, second] = [await obtain(), await obtain()];
    await organization.change(user.username, { enabled: false });
    // Contract §5: within one second.
    await sleep(1_000);
    await expectInvalidGrant(webClient, formOf(first));
    await organization.change(user.username, { enabled: true });
    await organization.setPassword(user.username, 'temp-password-2');
    await sleep(1_000);
    await expectInvalidGrant(webClient, formOf(second));
  });

  describe('PKCE (RFC 7636)', () => {
    it('takes the verifier that fits, and no other', async () => {
      const { verifier, parameters } = createPkce();
      const code = await obtainCode(realm, parameters);
      for (const wrong of [createPkce().verifier, parameters.code_challenge, verifier.slice(0, 42), `${verifier}=`]) {
        await expectInvalidGrant(webClient, formOf(code, { code_verifier: wrong }));
      }
      expect(await expectInvalidGrant(webClient, formOf(code))).toContain('code_verifier is required');
      await realm.tokens(webClient, formOf(code, { code_verifier: verifier }));
    });

    it.each([
      ['too short', 'v'.repeat(42)],
      ['too long', 'v'.repeat(129)],
      ['of other characters', `${'v'.repeat(42)}+`],
    ])('refuses a verifier that is %s, also where the challenge is its hash', async (_what, code_verifier) => {
      const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
      const code = await obtainCode(realm, { code_challenge, code_challenge_method: 'S256' });
      await expectInvalidGrant(webClient, formOf(code, { code_verifier }));
    });

    it('refuses a verifier for a code without a challenge (RFC 9700 4.8.2)', async () => {
      await expectInvalidGrant(webClient, formOf(await obtainCode(realm), { code_verifier: createPkce().verifier }));
    });

    it('lets a public client in without a secret, by its verifier', async () => {
      const { verifier, parameters } = createPkce();
      const code = await obtainCode(realm, { client_id: 'public', ...parameters });
      await expectInvalidGrant(publicClient, formOf(code));
      const tokens = await realm.tokens(publicClient, formOf(code, { code_verifier: verifier }));
      const refreshed = await realm.tokens(publicClient, {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token ?? '',
      });
      expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    });

    it('is required of public clients already when they ask for authorization', async () => {
      const answer = await createTestBrowser().get(
        `${realm.url}/oauth/authorize?${new URLSearchParams({ ...codeRequest, client_id: 'public' })}`,
      );
      expect(readRedirect(answer).parameters).toMatchObject({ error: 'invalid_request' });
    });
  });

  describe('DPoP (RFC 9449 10)', () => {
    const key = createClientKey();
    const exchange = async (code: string, by: ClientKey) => {
      const request = { htm: 'POST', htu: `${realm.authUrl}/oauth/token`, iat: Math.floor(realm.clock() / 1000) };
      const { headers } = await realm.tokenRequest(webClient, formOf(code), { dpop: by.proof(request) });
      return realm.tokenRequest(webClient, formOf(code), {
        dpop: by.proof({ ...request, nonce: String(headers['dpop-nonce']) }),
      });
    };

    it('takes a code that was asked for with a key by a proof of that key alone', async () => {
      const code = await obtainCode(realm, { dpop_jkt: key.jkt });
      for (const refused of [
        await exchange(code, createClientKey()),
        await realm.tokenRequest(webClient, formOf(code)),
      ]) {
        expect([refused.status, refused.json()]).toEqual([
          400,
          expect.objectContaining({
            error: 'invalid_dpop_proof',
            error_description: expect.stringContaining('the authorization code is bound to a key'),
          }),
        ]);
      }
      expect((await exchange(code, key)).json()).toMatchObject({ token_type: 'DPoP' });
    });

    it('takes a code that was asked for without a key by a proof of any', async () => {
      expect((await exchange(await obtainCode(realm), key)).json()).toMatchObject({ token_type: 'DPoP' });
    });
  });
});
