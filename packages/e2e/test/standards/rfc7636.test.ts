import { call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import { createPkce } from '../support/authorization.ts';
import type { Credentials } from '../support/clients.ts';
import { codeRequest, isSignInPage, obtainCode, open, readRedirect, redeem } from './authorization-request.ts';
import { describeStandard, publicKind, register } from './realm.ts';

describeStandard('RFC 7636, proof key for code exchange', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let spa: Credentials;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    [app, spa] = await Promise.all([register(gatehouse), register(gatehouse, publicKind)]);
  });
  const errorOf = async (client: Credentials, changes: Record<string, string | undefined>) =>
    readRedirect(await open(gatehouse, codeRequest(client[0], changes).parameters)).query.error;
  const withoutChallenge = { code_challenge: undefined, code_challenge_method: undefined };
  const redeemWith = async (client: Credentials, code_verifier: string | undefined) => {
    const { form } = await obtainCode(gatehouse, client);
    const { code_verifier: _right, ...rest } = form;
    const { status, json } = await redeem(
      gatehouse,
      client,
      code_verifier === undefined ? rest : { ...rest, code_verifier },
    );
    return { status, error: json().error };
  };
  const invalidGrant = { status: 400, error: 'invalid_grant' };

  it('RFC 7636 4.1: a verifier of fewer than 43 or more than 128 characters is refused', async () => {
    for (const verifier of ['a'.repeat(42), 'a'.repeat(129)]) {
      expect(await redeemWith(spa, verifier)).toEqual(invalidGrant);
    }
  });

  it('RFC 7636 4.1: a verifier of other than unreserved characters is refused', async () => {
    expect(await redeemWith(spa, `${'a'.repeat(42)}+`)).toEqual(invalidGrant);
  });

  it('RFC 7636 4.2: S256 is supported', async () => {
    const { form } = await obtainCode(gatehouse, spa);
    expect((await redeem(gatehouse, spa, form)).status).toBe(200);
  });

  it('RFC 7636 4.2: a challenge that no S256 can give is invalid_request', async () => {
    for (const code_challenge of ['short', 'a'.repeat(44), `${'a'.repeat(42)}=`]) {
      expect(await errorOf(spa, { code_challenge })).toBe('invalid_request');
    }
  });

  it('RFC 7636 4.3: no code_challenge_method means plain, which is not supported here', async () => {
    expect(await errorOf(spa, { code_challenge_method: undefined })).toBe('invalid_request');
    expect(await errorOf(app, { code_challenge_method: undefined })).toBe('invalid_request');
  });

  it('RFC 7636 4.4.1: a confidential client that is registered with require_pkce must send a challenge', async () => {
    const strict = await register(gatehouse, { require_pkce: true });
    const page = await open(gatehouse, codeRequest(app[0], withoutChallenge).parameters);
    expect(isSignInPage(page)).toBe(true);
    expect(await errorOf(strict, withoutChallenge)).toBe('invalid_request');
    const { client_id, code_challenge, code_challenge_method, ...rest } = codeRequest(strict[0], {}).parameters;
    const push = (parameters: object) =>
      call(`${gatehouse.authUrl}/oauth/par`, { basic: strict, form: { ...rest, ...parameters } });
    const refused = await push({});
    expect([refused.status, refused.json().error]).toEqual([400, 'invalid_request']);
    expect((await push({ code_challenge, code_challenge_method })).status).toBe(201);
    const { form } = await obtainCode(gatehouse, strict);
    expect((await redeem(gatehouse, strict, form)).status).toBe(200);
  });

  it('RFC 7636 4.4: the challenge is bound to the code it was sent for', async () => {
    const first = await obtainCode(gatehouse, spa);
    const second = await obtainCode(gatehouse, spa);
    const swapped = { ...first.form, code_verifier: second.form.code_verifier ?? '' };
    const { status, json } = await redeem(gatehouse, spa, swapped);
    expect({ status, error: json().error }).toEqual(invalidGrant);
  });

  it('RFC 7636 4.4: nothing of the challenge can be read from the code', async () => {
    const { verifier, challenge } = createPkce();
    const { code } = await obtainCode(gatehouse, spa, { code_challenge: challenge });
    const decoded = Buffer.from(code, 'base64url');
    expect(decoded.includes(Buffer.from(challenge, 'base64url'))).toBe(false);
    expect([code.includes(challenge), code.includes(verifier)]).toEqual([false, false]);
  });

  it('RFC 7636 4.4.1: where PKCE is required, a request without challenge is invalid_request', async () => {
    expect(await errorOf(spa, { code_challenge: undefined, code_challenge_method: undefined })).toBe('invalid_request');
  });

  it('RFC 7636 4.4.1: a transformation that is not supported is invalid_request', async () => {
    for (const code_challenge_method of ['plain', 's256', 'S512']) {
      expect(await errorOf(spa, { code_challenge_method })).toBe('invalid_request');
    }
  });

  it('RFC 7636 4.6: a verifier that does not fit the challenge is invalid_grant', async () => {
    for (const client of [app, spa]) {
      expect(await redeemWith(client, createPkce().verifier)).toEqual(invalidGrant);
    }
  });

  it('RFC 7636 4.6: the challenge itself is no verifier', async () => {
    const { challenge } = createPkce();
    const { form } = await obtainCode(gatehouse, spa, { code_challenge: challenge });
    const { status, json } = await redeem(gatehouse, spa, { ...form, code_verifier: challenge });
    expect({ status, error: json().error }).toEqual(invalidGrant);
  });

  it('RFC 7636 4.6: a code with a challenge is not given out without a verifier', async () => {
    for (const client of [app, spa]) expect(await redeemWith(client, undefined)).toEqual(invalidGrant);
  });

  it('RFC 7636 5: a confidential client may still do without', async () => {
    const { parameters } = codeRequest(app[0], { code_challenge: undefined, code_challenge_method: undefined });
    expect(isSignInPage(await open(gatehouse, parameters))).toBe(true);
  });
});
