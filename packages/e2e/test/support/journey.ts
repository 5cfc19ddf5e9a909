import { randomBytes } from 'node:crypto';
import { type Answer, call, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { buildAuthorizeUrl, createPkce, getLocation } from './authorization.ts';
import { passwordKind, redirectUri, serviceAccountKind } from './clients.ts';
import { administrator } from './people.ts';
import type { TokenResponse } from './tokens.ts';
import { createUserAdministration, getUserDetails } from './users.ts';

/** A value that can come from nowhere else. */
export const secretValue = (what: string) => `SECRET-${what}-${randomBytes(9).toString('hex')}`;

/** Everything secret that passed through the services, by what it is. */
export type Secrets = Map<string, string>;

/**
 * A journey through every part of both services, successful and failing, with secrets that are unmistakable. Gives the
 * secrets, and every answer by the request id it was asked under.
 */
export async function travel(gatehouse: Gatehouse): Promise<{ secrets: Secrets; answers: Map<string, Answer> }> {
  const { authUrl, baseUrl } = gatehouse;
  const secrets: Secrets = new Map([['password of the administrator', administrator[1]]]);
  const answers = new Map<string, Answer>();
  const invent = (what: string) => {
    const value = secretValue(what.replaceAll(' ', '-'));
    secrets.set(what, value);
    return value;
  };
  const keepTokens = (what: string, answer: Answer): TokenResponse => {
    const tokens = answer.json() as unknown as TokenResponse;
    for (const name of ['access_token', 'refresh_token', 'id_token'] as const) {
      const token = tokens[name];
      if (token === undefined) continue;
      secrets.set(`${name} of ${what}`, token);
      // Not even a part: the signature makes a token of claims that anybody may know.
      if (token.includes('.')) secrets.set(`signature of ${name} of ${what}`, token.split('.').at(-1) ?? '');
    }
    return tokens;
  };
  const send = async (url: string, options: Parameters<typeof call>[1] = {}) => {
    const requestId = `journey-${answers.size}-${randomBytes(6).toString('hex')}`;
    const answer = await call(url, { ...options, headers: { 'x-request-id': requestId, ...options.headers } });
    answers.set(requestId, answer);
    return answer;
  };
  const token = (form: Record<string, string>, basic?: [string, string]) =>
    send(`${authUrl}/oauth/token`, basic === undefined ? { form } : { form, basic });

  // Clients, and registrations that fail
  const app = passwordKind({ client_secret: invent('client secret'), scope: ['openid', 'profile', 'offline_access'] });
  const machine = serviceAccountKind({ client_secret: invent('machine secret') });
  for (const json of [app, machine, app, { ...app, client_id: 'x', scope: [invent('misplaced scope')] }]) {
    await send(`${authUrl}/clients`, { basic: administrator, json });
  }
  await send(`${authUrl}/clients`, {
    basic: administrator,
    headers: { 'content-type': 'application/json' },
    body: `{"client_id": "broken", "client_secret": "${invent('secret in broken JSON')}`,
  });
  await send(`${authUrl}/clients`, {
    basic: [administrator[0], invent('wrong password of an administrator')],
    json: {},
  });
  await send(`${authUrl}/clients`, { bearer: invent('bearer that is no token'), json: {} });
  await send(`${authUrl}/clients`, { headers: { authorization: `Basic ${invent('unreadable Basic')}` }, json: {} });
  const rotated = await send(`${authUrl}/clients/${machine.client_id}/secret`, { basic: administrator, json: {} });
  secrets.set('made client secret', String(rotated.json().client_secret));
  const appBasic: [string, string] = [app.client_id, app.client_secret ?? ''];

  // A user of whom the password is known to nobody else
  const login = { grant_type: 'password', username: administrator[0], password: administrator[1] };
  const administratorTokens = keepTokens('the administrator', await token(login, appBasic));
  const users = createUserAdministration(gatehouse, administratorTokens.access_token);
  const username = 'traveller@example.com';
  const password = invent('password');
  await users.create({ username, userType: 'Person', password });
  await send(`${baseUrl}/organization/api/organization/user`, {
    bearer: administratorTokens.access_token,
    json: { username, userType: 'Person', password: invent('password of a user that exists') },
  });

  // The password grant, right and wrong
  const person = { grant_type: 'password', username, password };
  const byPassword = keepTokens('the password grant', await token(person, appBasic));
  await token({ ...person, password: invent('wrong password') }, appBasic);
  await token(person, [app.client_id, invent('wrong client secret')]);
  await token({ ...person, client_id: app.client_id, client_secret: invent('wrong posted secret') });
  await token({ ...person, grant_type: invent('misplaced grant type') }, appBasic);
  await token({ ...person, scope: invent('misplaced token scope') }, appBasic);
  await send(`${authUrl}/oauth/token`, {
    basic: appBasic,
    json: { ...person, password: invent('password sent as JSON') },
  });
  await send(`${authUrl}/oauth/token?password=${invent('password in the URL')}`, { form: person });
  keepTokens(
    'the machine',
    await token({ grant_type: 'client_credentials' }, [machine.client_id, machine.client_secret ?? '']),
  );

  // The authorization-code flow, with a wrong password first
  const { verifier, challenge } = createPkce();
  secrets.set('code verifier', verifier);
  const url = buildAuthorizeUrl(gatehouse, {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: redirectUri,
    state: invent('state'),
    nonce: invent('nonce'),
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const browser = createTestBrowser();
  const page = await browser.get(url);
  secrets.set('form token', /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? 'no form token');
  await browser.submit(page, url, { username, password: invent('wrong password on the page') });
  await browser.submit(page, url, { username, password, form_token: invent('forged form token') });
  const location = getLocation(await browser.submit(page, url, { username, password }));
  const code = location.searchParams.get('code') ?? 'no code';
  secrets.set('code', code);
  for (const [name, value] of Object.entries(browser.cookies())) secrets.set(`cookie ${name}`, value);
  const redemption = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  await token({ ...redemption, code_verifier: invent('wrong code verifier').padEnd(43, 'x') }, appBasic);
  const byCode = keepTokens('the code', await token(redemption, appBasic));
  await send(`${authUrl}/oauth/token`, { basic: appBasic, form: { ...redemption, code: invent('wrong code') } });

  // Refreshing, once too often
  const refresh = { grant_type: 'refresh_token', refresh_token: byPassword.refresh_token ?? '' };
  const second = keepTokens('the refresh', await token(refresh, appBasic));
  const third = { ...refresh, refresh_token: second.refresh_token ?? '' };
  keepTokens('the second refresh', await token(third, appBasic));
  await token(refresh, appBasic);
  await token({ ...refresh, refresh_token: invent('wrong refresh token') }, appBasic);

  // What tokens open
  const details = `${baseUrl}/organization/api/organization/user/allDetails/userId/${encodeURIComponent(username)}`;
  await getUserDetails(gatehouse, username, byCode.access_token);
  await send(`${details}?access_token=${byCode.access_token}`);
  await send(details, { bearer: `${byCode.access_token}x` });
  await send(details, { bearer: invent('wrong bearer') });
  await send(`${authUrl}/oauth/userinfo`, { bearer: byCode.access_token });
  await send(`${authUrl}/oauth/userinfo`, { bearer: invent('wrong bearer at userinfo') });
  await send(`${authUrl}/oauth/userinfo?access_token=${byCode.access_token}`);
  for (const path of ['introspect', 'revoke']) {
    const wrong = invent(`wrong token to ${path}`);
    for (const value of [byCode.access_token, byCode.refresh_token ?? '', wrong]) {
      await send(`${authUrl}/oauth/${path}`, { basic: appBasic, form: { token: value } });
    }
  }

  // Other ends
  await send(`${baseUrl}/organization/api/organization/user/userId/${encodeURIComponent(username)}/password`, {
    method: 'PUT',
    bearer: administratorTokens.access_token,
    json: { password: invent('new password'), oldPassword: invent('old password') },
  });
  await send(`${authUrl}/nowhere?token=${invent('token in an unknown URL')}`);
  await send(`${authUrl}/oauth/authorize?%zz=${invent('value in a broken query')}`);
  await browser.get(`${authUrl}/oauth/logout?id_token_hint=${byCode.id_token}`);
  return { secrets, answers };
}
