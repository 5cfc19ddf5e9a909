import { call, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import type { Credentials } from '../support/clients.ts';
import { plainUser } from '../support/people.ts';
import { getUserTokens, isActive, postToken } from '../support/tokens.ts';
import { getUserDetails } from '../support/users.ts';
import { waitFor } from '../support/wait.ts';
import { obtainTokens } from './authorization-request.ts';
import { describeStandard, publicKind, register } from './realm.ts';

describeStandard('RFC 7009, token revocation', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let other: Credentials;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    [app, other] = await Promise.all([register(gatehouse), register(gatehouse)]);
  });
  const revoke = (client: Credentials, form: Record<string, string>) =>
    call(`${gatehouse.authUrl}/oauth/revoke`, { basic: client, form });

  it('RFC 7009 2: refresh tokens can be revoked', async () => {
    const { refresh_token = '' } = await getUserTokens(gatehouse, app);
    expect((await revoke(app, { token: refresh_token })).status).toBe(200);
    const answer = await postToken(gatehouse, { basic: app, form: { grant_type: 'refresh_token', refresh_token } });
    expect({ status: answer.status, error: answer.json().error }).toEqual({ status: 400, error: 'invalid_grant' });
  });

  it('RFC 7009 2: access tokens can be revoked, and the resource server learns of it', async () => {
    const { access_token } = await getUserTokens(gatehouse, app);
    expect((await getUserDetails(gatehouse, plainUser[0], access_token)).status).toBe(200);
    expect((await revoke(app, { token: access_token })).status).toBe(200);
    expect(await isActive(gatehouse, app, access_token)).toBe(false);
    const refused = await waitFor(
      () => getUserDetails(gatehouse, plainUser[0], access_token),
      ({ status }) => status === 401,
      5_000,
    );
    expect(refused.status).toBe(401);
  });

  it('RFC 7009 2.1: the token is required', async () => {
    const { status, json } = await revoke(app, {});
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 7009 2.1: the client’s credentials are checked first', async () => {
    const { access_token } = await getUserTokens(gatehouse, app);
    const { status, headers, json } = await revoke([app[0], 'wrong'], { token: access_token });
    expect({ status, error: json().error }).toEqual({ status: 401, error: 'invalid_client' });
    expect(headers['www-authenticate']).toMatch(/^Basic/);
    const url = `${gatehouse.authUrl}/oauth/revoke`;
    expect((await call(url, { form: { token: access_token } })).status).toBe(401);
    expect(await isActive(gatehouse, app, access_token)).toBe(true);
  });

  it('RFC 7009 2.1: a token of another client is not revoked, and the caller is told', async () => {
    const { access_token, refresh_token = '' } = await getUserTokens(gatehouse, app);
    for (const token of [access_token, refresh_token]) {
      expect((await revoke(other, { token })).status).toBe(400);
      expect(await isActive(gatehouse, app, token)).toBe(true);
    }
  });

  it('RFC 7009 2.1: a public client revokes its own tokens by its client_id', async () => {
    const spa = await register(gatehouse, publicKind);
    const { access_token } = await obtainTokens(gatehouse, spa);
    const form = { token: access_token, client_id: spa[0] };
    expect((await call(`${gatehouse.authUrl}/oauth/revoke`, { form })).status).toBe(200);
    expect(await isActive(gatehouse, app, access_token)).toBe(false);
  });

  it('RFC 7009 2.1: with a refresh token the access tokens of its grant end', async () => {
    const { access_token, refresh_token = '' } = await getUserTokens(gatehouse, app);
    await revoke(app, { token: refresh_token });
    expect(await isActive(gatehouse, app, access_token)).toBe(false);
  });

  it('RFC 7009 2.1: a wrong or unknown token_type_hint does not keep the token from being found', async () => {
    for (const token_type_hint of ['refresh_token', 'nonsense']) {
      const { access_token } = await getUserTokens(gatehouse, app);
      expect((await revoke(app, { token: access_token, token_type_hint })).status).toBe(200);
      expect(await isActive(gatehouse, app, access_token)).toBe(false);
    }
  });

  it('RFC 7009 2.2: a token that is not valid is no error', async () => {
    const { access_token } = await getUserTokens(gatehouse, app);
    await revoke(app, { token: access_token });
    for (const token of ['nonsense', access_token]) {
      const { status, text } = await revoke(app, { token });
      expect({ status, text }).toEqual({ status: 200, text: '' });
    }
  });

  it('RFC 7009 2.3: browser-based clients of any origin may call', async () => {
    const { headers } = await revoke(app, { token: 'nonsense' });
    expect(headers['access-control-allow-origin']).toBe('*');
  });
});
