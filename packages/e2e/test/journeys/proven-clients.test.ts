import {
  type Answer,
  type ClientKey,
  call,
  callWithProof,
  createClientKey,
  createTestBrowser,
  type Gatehouse,
} from '@gatehouse/test-kit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { obtainCode } from '../support/authorization.ts';
import { type Credentials, redirectUri } from '../support/clients.ts';
import { createFapi2Client, createFapi2Key, type Fapi2Client, registerFapi2Client } from '../support/fapi2-client.ts';
import { administrator, plainUser } from '../support/people.ts';
import { describeSharedGatehouse } from '../support/suite.ts';
import { getUserTokens, postToken, type TokenResponse } from '../support/tokens.ts';
import { userDetailsUrl } from '../support/users.ts';
import { atOnce, waitFor } from '../support/wait.ts';
import { askOrganization } from './support/refusal.ts';
import { registerPublic, registerWith } from './support/registration.ts';

const tokensOf = (answer: Answer) => answer.json() as unknown as TokenResponse;

describeSharedGatehouse('a client that proves a key', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let tokenUrl: string;
  beforeAll(() => {
    gatehouse = getGatehouse();
    tokenUrl = `${gatehouse.authUrl}/oauth/token`;
  });
  const patch = async (clientId: string, json: object) => {
    const answer = await call(`${gatehouse.authUrl}/clients/${clientId}`, {
      method: 'PATCH',
      basic: administrator,
      json,
    });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  };
  const outcomeOf = ({ status, json }: Answer) => [status, json().error ?? json().refresh_token];
  const expectEnded = async (answer: Promise<Answer>) => {
    expect(outcomeOf(await answer)).toEqual([400, 'invalid_grant']);
  };
  /** org-api goes by the status lists. */
  const expectRefusedByOrganization = async (ask: () => Promise<number>) => {
    expect(await waitFor(ask, (status) => status === 401, 5_000)).toBe(401);
  };

  describe('refreshes', () => {
    test('forty times at once: each answer repeats the token, and every access token is in force', async () => {
      const client = await registerFapi2Client(gatehouse);
      const { refresh_token: token } = await client.obtain();
      const answers = await atOnce(40, () => client.refresh(token));
      expect(new Set(answers.map((answer) => outcomeOf(answer).join()))).toEqual(new Set([`200,${token}`]));
      const accessTokens = answers.map((answer) => tokensOf(answer).access_token);
      expect(new Set(accessTokens).size).toBe(40);
      expect(await Promise.all(accessTokens.map(client.isActive))).toEqual(Array(40).fill(true));

      expect((await client.revoke(token ?? '')).status).toBe(200);
      expect(await Promise.all(accessTokens.map(client.isActive))).toEqual(Array(40).fill(false));
      await expectEnded(client.refresh(token));
      const url = userDetailsUrl(gatehouse, plainUser[0]);
      for (const accessToken of accessTokens) {
        await expectRefusedByOrganization(async () => (await client.present(url, accessToken)).status);
      }
    });

    test('until its user signs out; with offline access on', async () => {
      const client = await registerFapi2Client(gatehouse);
      const browser = createTestBrowser();
      const { callback, verifier } = await client.authorize({}, browser);
      const tokens = tokensOf(await client.redeem(callback.searchParams.get('code') ?? '', verifier));
      const offline = await client.obtain({ form: { scope: 'openid offline_access' } });
      const refreshed = tokensOf(await client.refresh(tokens.refresh_token));
      const query = new URLSearchParams({ id_token_hint: tokens.id_token ?? '' });
      expect((await browser.get(`${gatehouse.authUrl}/oauth/logout?${query}`)).status).toBe(200);
      await expectEnded(client.refresh(tokens.refresh_token));
      expect(await client.isActive(refreshed.access_token)).toBe(false);
      expect((await client.refresh(offline.refresh_token)).status).toBe(200);
    });

    test('with any key it has at that moment, and with no key it had', async () => {
      const client = await registerFapi2Client(gatehouse);
      const { refresh_token: token } = await client.obtain();
      const next = createFapi2Key('PS256');
      await patch(client.clientId, { jwks: { keys: [next.jwk] } });
      expect(outcomeOf(await client.refresh(token, { key: next }))).toEqual([200, token]);
      expect(outcomeOf(await client.refresh(token))).toEqual([401, 'invalid_client']);
    });

    test('with another DPoP key each time: the access token is bound to it', async () => {
      const client = await registerFapi2Client(gatehouse);
      const { refresh_token: token } = await client.obtain();
      const url = `${gatehouse.authUrl}/oauth/userinfo`;
      for (const proofKey of [createClientKey(), createClientKey()]) {
        const { access_token: accessToken } = tokensOf(await client.refresh(token, { proofKey }));
        expect((await client.present(url, accessToken, proofKey)).status).toBe(200);
        expect((await client.present(url, accessToken)).status).toBe(401);
      }
    });

    test('as another client can not: the token is bound to the registration', async () => {
      const [client, other] = await Promise.all([registerFapi2Client(gatehouse), registerFapi2Client(gatehouse)]);
      const { refresh_token: token } = await client.obtain();
      await expectEnded(other.refresh(token));
      expect(outcomeOf(await client.refresh(token))).toEqual([200, token]);
    });
  });

  describe('by its metadata alone', () => {
    const byPassword = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
    const refreshForm = (token = '') => ({ grant_type: 'refresh_token', refresh_token: token });
    const refreshBound = (basic: Credentials, key: ClientKey, token?: string) =>
      callWithProof(tokenUrl, key, { basic, form: refreshForm(token) });

    test('private_key_jwt: the refresh token stays', async () => {
      const client = await registerFapi2Client(gatehouse, {
        ...{ profile: undefined, token_endpoint_auth_method: 'private_key_jwt' },
        authorized_grant_types: ['password', 'refresh_token'],
      });
      const tokens = tokensOf(await client.token(byPassword, { proof: false }));
      for (let turn = 0; turn < 2; turn += 1) {
        const answer = await client.refresh(tokens.refresh_token, { proof: false });
        expect([answer.json().token_type, ...outcomeOf(answer)]).toEqual(['Bearer', 200, tokens.refresh_token]);
      }
    });

    test('a secret and dpop_bound_access_tokens: it stays; a secret alone: it is replaced; from one to the other it goes on', async () => {
      const client = await registerWith(gatehouse, { dpop_bound_access_tokens: true });
      const key = createClientKey();
      const { refresh_token: token } = tokensOf(
        await callWithProof(tokenUrl, key, { basic: client, form: byPassword }),
      );
      expect(outcomeOf(await refreshBound(client, key, token))).toEqual([200, token]);
      expect(outcomeOf(await refreshBound(client, createClientKey(), token))).toEqual([200, token]);

      await patch(client[0], { dpop_bound_access_tokens: false });
      const replaced = await waitFor(
        () => postToken(gatehouse, { basic: client, form: refreshForm(token) }),
        // A replica may go by the registration of a moment ago.
        ({ status }) => status === 200,
      );
      const { refresh_token: second } = tokensOf(replaced);
      expect([replaced.status, second === token]).toEqual([200, false]);
      await patch(client[0], { dpop_bound_access_tokens: true });
      // There a replica may still replace it, for a second.
      const kept = await refreshBound(client, key, second);
      expect(kept.status).toBe(200);
      const { refresh_token: third } = tokensOf(kept);
      expect(outcomeOf(await refreshBound(client, key, third))).toEqual([200, expect.any(String)]);
    });

    test('a public client: the refresh token is replaced, and bound to its key', async () => {
      const clientId = await registerPublic(gatehouse, { dpop_bound_access_tokens: true });
      const [key, other] = [createClientKey(), createClientKey()];
      const { redemption } = await obtainCode(gatehouse, [clientId, '']);
      const send = (by: ClientKey, form: Record<string, string>) =>
        callWithProof(tokenUrl, by, { form: { client_id: clientId, ...form } });
      const tokens = tokensOf(await send(key, redemption));
      const stolen = await send(other, refreshForm(tokens.refresh_token));
      expect(outcomeOf(stolen)).toEqual([400, 'invalid_dpop_proof']);
      const answer = await send(key, refreshForm(tokens.refresh_token));
      const { refresh_token: second } = tokensOf(answer);
      expect([answer.status, second === tokens.refresh_token]).toEqual([200, false]);

      // With a key of its own it goes on with the token, by whatever proof.
      const own = createFapi2Key();
      await patch(clientId, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [own.jwk] } });
      const confidential = createFapi2Client(gatehouse, clientId, own);
      expect(outcomeOf(await confidential.refresh(second))).toEqual([200, second]);
    });
  });

  describe('and gets the profile fapi2 by PATCH', () => {
    const lax = { profile: undefined, token_endpoint_auth_method: 'private_key_jwt' };
    const bearer = { proof: false } as const;
    let client: Fapi2Client;
    let key: ClientKey;
    let tokens: TokenResponse;
    let code: Awaited<ReturnType<Fapi2Client['authorize']>>;

    beforeAll(async () => {
      client = await registerFapi2Client(gatehouse, lax);
      key = client.key;
      tokens = await client.obtain({}, bearer);
      code = await client.authorize();
      expect(await askOrganization(gatehouse, tokens.access_token)).toBe(200);
      await patch(client.clientId, { profile: 'fapi2' });
    });

    test('its access tokens end, everywhere', async () => {
      expect(await client.isActive(tokens.access_token)).toBe(false);
      const url = `${gatehouse.authUrl}/oauth/userinfo`;
      expect((await call(url, { bearer: tokens.access_token })).status).toBe(401);
      await expectRefusedByOrganization(() => askOrganization(gatehouse, tokens.access_token));
    });

    test('its refresh tokens end', async () => {
      expect(await client.isActive(tokens.refresh_token ?? '')).toBe(false);
      await expectEnded(client.refresh(tokens.refresh_token));
    });

    test('its codes end', async () => {
      await expectEnded(client.redeem(code.callback.searchParams.get('code') ?? '', code.verifier));
    });

    test('what it gets afterwards goes on through other changes, and through the same word again', async () => {
      const later = await client.obtain();
      await patch(client.clientId, { profile: 'fapi2', client_name: 'Another name', access_token_validity: 60 });
      expect(await client.isActive(later.access_token)).toBe(true);
      expect(outcomeOf(await client.refresh(later.refresh_token))).toEqual([200, later.refresh_token]);
      // The codes and refresh tokens of a generation end by a profile alone.
      await patch(client.clientId, { require_consent: true });
      expect(await client.isActive(later.access_token)).toBe(false);
      await patch(client.clientId, { require_consent: false, profile: null });
      expect(outcomeOf(await client.refresh(later.refresh_token))).toEqual([200, later.refresh_token]);
      await patch(client.clientId, { profile: 'fapi2' });
      await expectEnded(client.refresh(later.refresh_token));
    });

    test('a code that is asked for while the profile is set is of no use afterwards, or is as good as one asked for later', async () => {
      const other = await registerFapi2Client(gatehouse, { ...lax, jwks: { keys: [key.jwk] } });
      const speaking = createFapi2Client(gatehouse, other.clientId, key);
      const asking = atOnce(6, () => speaking.authorize());
      await patch(other.clientId, { profile: 'fapi2' });
      for (const { callback, verifier } of await asking) {
        const answer = await speaking.redeem(callback.searchParams.get('code') ?? '', verifier);
        if (answer.status === 200) expect(answer.json().token_type).toBe('DPoP');
        else expect(outcomeOf(answer)).toEqual([400, 'invalid_grant']);
      }
    });
  });

  test('and the password grant of a client that rotates is as it was', async () => {
    const client = await registerWith(gatehouse, { redirect_uri: redirectUri });
    const tokens = await getUserTokens(gatehouse, client);
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
    const { refresh_token: second } = tokensOf(await postToken(gatehouse, { basic: client, form }));
    expect(second).not.toBe(tokens.refresh_token);
  });
});
