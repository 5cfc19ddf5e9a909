import { randomBytes } from 'node:crypto';
import type { Dialect } from '@gatehouse/service-kit/database';
import { createTestBrowser, type TestBrowser } from '@gatehouse/test-kit';
import { authorizePath, createPkce, readRedirect, userForm } from './browser.ts';
import { administrator, type Realm, type TokenAnswer } from './realm.ts';
import { startRealmOn } from './start-realm-on.ts';

/** The answer to a registration (RFC 7591 3.2.1). */
export interface ClientInformation {
  client_id: string;
  client_secret?: string;
  client_secret_expires_at?: number;
  registration_access_token: string;
  registration_client_uri: string;
  redirect_uris: string[];
  scope: string;
  [member: string]: unknown;
}

export const webCallback = 'https://agent.example.com/callback';
export const openBody = { redirect_uris: [webCallback], client_name: 'An agent' };

/** A realm at which anybody may register a client, and what those clients do there. */
export async function startOpenRealm(dialect: Dialect): Promise<{ realm: Realm; dynamic: DynamicClients }> {
  const realm = await startRealmOn(dialect, { DYNAMIC_REGISTRATION: 'open' });
  return { realm, dynamic: registerDynamically(realm) };
}

/** An address of a network that nobody else asks from. */
export function createAddress(): string {
  return `10.${[...randomBytes(3)].join('.')}`;
}

export type DynamicClients = ReturnType<typeof registerDynamically>;

/** What clients that register themselves do, and what administrators do for them. */
export function registerDynamically(realm: Realm) {
  const send = (json: unknown, headers: Record<string, string> = {}) =>
    realm.send('/oauth/register', {
      json: json as object,
      headers: { 'x-forwarded-for': createAddress(), ...headers },
    });
  const createToken = async (json: object = {}): Promise<string> => {
    const answer = await realm.send('/registration-tokens', { basic: administrator, json });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<{ token: string }>().token;
  };
  return {
    send,
    createToken,
    /** By open registration, or by the token. Throws unless the answer is 201. */
    async register(body: object = openBody, token?: string): Promise<ClientInformation> {
      const answer = await send(body, token === undefined ? {} : { authorization: `Bearer ${token}` });
      if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
      return answer.json<ClientInformation>();
    },
    /** At the registration_client_uri, by the registration access token. */
    manage(client: ClientInformation, method: string, json?: object) {
      const path = new URL(client.registration_client_uri).pathname;
      return realm.send(path, { method, bearer: client.registration_access_token, ...(json && { json }) });
    },
  };
}

/** Signs the demo user in, allows what is asked for, and exchanges the code. */
export async function obtainTokens(
  realm: Realm,
  client: ClientInformation,
  options: { browser?: TestBrowser; scope?: string; more?: Record<string, string> } = {},
): Promise<TokenAnswer> {
  const { code, verifier } = await obtainAllowedCode(realm, client, options);
  const redirect_uri = client.redirect_uris[0] as string;
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri };
  return realm.tokens(client, form);
}

export async function obtainAllowedCode(
  realm: Realm,
  client: ClientInformation,
  { browser = createTestBrowser(), scope = 'openid profile', more = {} }: Parameters<typeof obtainTokens>[2] = {},
) {
  const { verifier, parameters } = createPkce();
  const { client_id, redirect_uris } = client;
  const redirect_uri = redirect_uris[0] as string;
  const asked = { response_type: 'code', client_id, redirect_uri, scope, ...parameters, ...more };
  const url = realm.url + authorizePath(asked);
  let answer = await browser.get(url);
  for (const form of [userForm, { decision: 'allow' }]) {
    const isThere = answer.status === 200 && answer.text.includes(`name="${Object.keys(form)[0]}"`);
    if (isThere) answer = await browser.submit(answer, url, form);
  }
  const { code } = readRedirect(answer).parameters;
  if (code === undefined) throw new Error(`${answer.status} ${String(answer.headers.location)} ${answer.text}`);
  return { code, verifier };
}
