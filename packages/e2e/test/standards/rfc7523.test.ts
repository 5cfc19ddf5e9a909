import {
  type Answer,
  assertionType,
  type ClientKey,
  call,
  createClientKey,
  type Gatehouse,
  nowInSeconds,
} from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import type { Credentials } from '../support/clients.ts';
import { postClient } from '../support/clients.ts';
import { forge, signHs256 } from '../support/forged-tokens.ts';
import { postToken, readClaims } from '../support/tokens.ts';
import { uniqueName } from '../support/unique.ts';
import { describeStandard, register } from './realm.ts';

describeStandard('RFC 7523, client authentication by JWT', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let key: ClientKey;
  let clientId: string;
  let audience: string;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    audience = gatehouse.authUrl;
    key = createClientKey();
    [clientId] = await registerKeyed(key);
  });
  const registerKeyed = ({ jwk }: ClientKey): Promise<Credentials> =>
    register(gatehouse, {
      client_id: uniqueName('keyed'),
      client_secret: undefined,
      authorized_grant_types: ['client_credentials'],
      redirect_uri: undefined,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [jwk] },
    });
  const post = (client_assertion: string, more: Record<string, string> = {}): Promise<Answer> =>
    postToken(gatehouse, {
      form: {
        grant_type: 'client_credentials',
        scope: 'profile',
        client_assertion_type: assertionType,
        client_assertion,
        ...more,
      },
    });
  const expectRefused = async (assertion: string, more: Record<string, string> = {}) => {
    const { status, json } = await post(assertion, more);
    expect({ status, error: json().error }).toEqual({ status: 401, error: 'invalid_client' });
  };
  const sign = (changes: Record<string, unknown> = {}) => key.assertion(clientId, audience, changes);

  it('RFC 7523 2.2: an assertion signed by the client’s key authenticates it', async () => {
    const { status, json } = await post(sign());
    expect(status).toBe(200);
    expect(readClaims(String(json().access_token)).client_id).toBe(clientId);
  });

  it('RFC 7521 4.2: client_id beside the assertion must be its subject', async () => {
    expect((await post(sign(), { client_id: clientId })).status).toBe(200);
    const { status, json } = await post(sign(), { client_id: 'another' });
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 7521 4.2: no second authentication method stands beside the assertion', async () => {
    const { status, json } = await post(sign(), { client_secret: 'secret' });
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 7521 4.2: an assertion of another type is refused', async () => {
    const type = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer';
    const { status, json } = await post(sign(), { client_assertion_type: type });
    expect({ status, error: json().error }).toEqual({ status: 400, error: 'invalid_request' });
  });

  it('RFC 7523 3 (1): iss must be the client_id', async () => {
    await expectRefused(sign({ iss: 'another' }));
    await expectRefused(sign({ iss: undefined }));
  });

  it('RFC 7523 3 (2): sub must be the client_id', async () => {
    const other = createClientKey();
    const [otherId] = await registerKeyed(other);
    await expectRefused(sign({ sub: otherId }));
    await expectRefused(sign({ sub: undefined }));
  });

  it('RFC 7523 3 (3): aud must name this server', async () => {
    await expectRefused(sign({ aud: 'https://another.example' }));
    await expectRefused(sign({ aud: undefined }));
    await expectRefused(sign({ aud: gatehouse.baseUrl }));
  });

  it('RFC 7523 3 (3): the URL of the token endpoint names this server, and so does its issuer identifier', async () => {
    expect((await post(sign({ aud: `${gatehouse.authUrl}/oauth/token` }))).status).toBe(200);
    expect((await post(sign({ aud: [gatehouse.authUrl] }))).status).toBe(200);
  });

  it('RFC 7523 3 (4): exp is required and must not have passed', async () => {
    await expectRefused(sign({ exp: undefined }));
    await expectRefused(sign({ exp: nowInSeconds() - 60 }));
  });

  it('RFC 7523 3 (4): an exp unreasonably far in the future is refused', async () => {
    await expectRefused(sign({ exp: nowInSeconds() + 366 * 86_400 }));
  });

  it('RFC 7523 3 (5): nbf must have come', async () => {
    await expectRefused(sign({ nbf: nowInSeconds() + 600 }));
  });

  it('RFC 7523 3 (7): an assertion is used once', async () => {
    const assertion = sign();
    expect((await post(assertion)).status).toBe(200);
    await expectRefused(assertion);
  });

  it('RFC 7523 3 (7): of several at the same moment one is honoured', async () => {
    const assertion = sign();
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(assertion)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('RFC 7523 3 (9): the signature must be made with a key of the client', async () => {
    await expectRefused(createClientKey().assertion(clientId, audience));
    const [head, claims] = sign().split('.');
    const [, , otherSignature] = sign().split('.');
    await expectRefused(`${head}.${claims}.${otherSignature}`);
  });

  it('RFC 7523 3 (9): an unsigned assertion is refused, and one made with the public key as a secret', async () => {
    const claims = readClaims(sign());
    await expectRefused(forge({ alg: 'none' }, claims));
    await expectRefused(signHs256({}, { ...claims, jti: 'hs256' }, JSON.stringify(key.jwk)));
  });

  it('RFC 7523 3 (10): what is no JWT is refused', async () => {
    for (const nonsense of ['nonsense', 'a.b.c', '{}']) await expectRefused(nonsense);
  });

  it('RFC 7523 3.2: a refusal says nothing but invalid_client', async () => {
    const stranger = createClientKey().assertion(clientId, audience, { exp: 1 });
    const bodies = [await post(sign({ aud: 'x' })), await post(stranger)].map(({ text }) => text);
    expect(new Set(bodies).size).toBe(1);
  });

  it('RFC 7523 3.2: but the holder of the key learns that the time is at fault', async () => {
    for (const claims of [{ exp: 1 }, { nbf: nowInSeconds() + 600 }, { iat: nowInSeconds() + 600 }]) {
      const { status, json } = await post(sign(claims));
      expect({ status, error: json().error }).toEqual({ status: 401, error: 'invalid_client' });
      expect(json().error_description).toMatch(/check the clock/);
    }
  });

  it('FAPI 2.0 5.3.2.1 (13): iat and nbf may lie up to 10 s ahead', async () => {
    const ahead = nowInSeconds() + 10;
    expect((await post(sign({ iat: ahead, nbf: ahead, exp: ahead + 60 }))).status).toBe(200);
  });

  it('RFC 7591 2: a client registered for private_key_jwt is not let in by its client_id alone', async () => {
    const form = { grant_type: 'client_credentials', client_id: clientId };
    expect((await postToken(gatehouse, { form })).status).toBe(401);
  });

  it('RFC 7591 2: a client registered for a secret is not let in by an assertion', async () => {
    const [withSecret] = await register(gatehouse);
    await expectRefused(key.assertion(withSecret, audience));
  });

  it('RFC 7517 9.2: a private key is not registered', async () => {
    const answer = await postClient(gatehouse, {
      client_id: uniqueName('careless'),
      scope: ['profile'],
      authorized_grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [key.privateJwk] },
    });
    expect({ status: answer.status, says: answer.text.includes(String(key.privateJwk.d)) }).toEqual({
      status: 400,
      says: false,
    });
  });

  it('RFC 7009 2.1, RFC 7662 2.1: the other endpoints that clients call take assertions too', async () => {
    for (const path of ['introspect', 'revoke']) {
      const form = { token: 'x', client_assertion_type: assertionType, client_assertion: sign() };
      expect((await call(`${gatehouse.authUrl}/oauth/${path}`, { form })).status).toBe(200);
    }
  });
});
