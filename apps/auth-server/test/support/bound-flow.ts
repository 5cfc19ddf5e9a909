import { assertionType, createClientKey, createTestBrowser } from '@gatehouse/test-kit';
import { createPkce, readRedirect, userForm } from './browser.ts';
import { callback, encodeForm, passwordOf, type Realm, type TokenAnswer } from './realm.ts';

/**
 * What the plain flows leave out: a client that proves itself by its key and has tokens bound to it, a third-party
 * client that pushes its request and asks for consent. Gives everything that was shown to anybody on the way.
 */
export async function runBoundAndThirdPartyFlow(realm: Realm): Promise<Record<string, string>> {
  return { ...(await runBoundFlow(realm)), ...(await runThirdPartyFlow(realm)) };
}

async function runBoundFlow(realm: Realm): Promise<Record<string, string>> {
  const key = createClientKey();
  await realm.register({
    client_id: 'by-key',
    scope: ['openid', 'offline_access'],
    authorized_grant_types: ['password'],
    ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] }, dpop_bound_access_tokens: true },
  });
  const request = { htm: 'POST', htu: `${realm.authUrl}/oauth/token` };
  const send = async (proof: string) => {
    const assertion = key.assertion('by-key', realm.authUrl);
    const form = { client_assertion: assertion, client_assertion_type: assertionType, ...passwordOf('user') };
    return { assertion, answer: await realm.send('/oauth/token', { form, headers: { dpop: proof } }) };
  };
  const first = await send(key.proof(request));
  const nonce = String(first.answer.headers['dpop-nonce']);
  const proof = key.proof({ ...request, nonce });
  const { assertion, answer } = await send(proof);
  if (answer.status !== 200) throw new Error(answer.text);
  const tokens = answer.json<TokenAnswer>();
  const htu = `${realm.authUrl}/oauth/userinfo`;
  const userinfoProof = key.proof({ htm: 'GET', htu, nonce, accessToken: tokens.access_token });
  const headers = { authorization: `DPoP ${tokens.access_token}`, dpop: userinfoProof };
  const userinfo = await realm.send('/oauth/userinfo', { headers });
  if (userinfo.status !== 200) throw new Error(userinfo.text);
  return {
    firstAssertion: first.assertion,
    assertion,
    ...{ proof, userinfoProof, nonce },
    ...listTokens('bound', tokens),
  };
}

async function runThirdPartyFlow(realm: Realm): Promise<Record<string, string>> {
  const client = { client_id: 'third-party', client_secret: 'pushed with the request' };
  await realm.register({
    ...client,
    scope: ['openid', 'email'],
    authorized_grant_types: ['authorization_code', 'refresh_token'],
    redirect_uri: callback,
    ...{ require_consent: true, backchannel_logout_uri: 'https://app.example.com/logout' },
  });
  const { verifier, parameters } = createPkce();
  const pushed = { response_type: 'code', redirect_uri: callback, scope: 'openid email', ...parameters };
  const push = async () => {
    const answer = await realm.send('/oauth/par', { form: { ...client, ...pushed } });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.json<{ request_uri: string }>().request_uri;
  };
  const [usedUri, freshUri] = [await push(), await push()];
  const browser = createTestBrowser();
  const url = `${realm.url}/oauth/authorize?${encodeForm({ client_id: 'third-party', request_uri: usedUri })}`;
  const consentPage = await browser.submit(await browser.get(url), url, userForm);
  const answer = await browser.submit(consentPage, url, { decision: 'allow' });
  const { code } = readRedirect(answer).parameters;
  if (code === undefined) throw new Error(`${answer.status} ${answer.text}`);
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  return {
    pushedSecret: client.client_secret,
    thirdPartyCode: code,
    thirdPartyVerifier: verifier,
    usedRequest: usedUri.split(':').at(-1) ?? '',
    freshRequest: freshUri.split(':').at(-1) ?? '',
    thirdPartySession: browser.cookies()['gatehouse-session'] ?? '',
    ...listTokens('thirdParty', await realm.tokens(client, form)),
  };
}

function listTokens(name: string, { access_token, id_token, refresh_token }: TokenAnswer): Record<string, string> {
  const tokens = { access_token, id_token, refresh_token };
  return Object.fromEntries(
    Object.entries(tokens)
      .filter((entry): entry is [string, string] => entry[1] !== undefined)
      .map(([kind, token]) => [`${name}.${kind}`, token]),
  );
}
