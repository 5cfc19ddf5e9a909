import { createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { buildAuthorizeUrl, createPkce, getLocation, signIn } from './authorization.ts';
import { getTokens, readClaims } from './tokens.ts';

export const passwordOf = (name: string) => `the password of ${name}`;
/** A person of a realm, as an import of Keycloak has one. */
export const withPassword = (name: string) => ({
  ...{ username: `${name}@example.com`, email: `${name}@example.com`, emailVerified: true, enabled: true },
  credentials: [{ type: 'password', value: passwordOf(name) }] as object[],
});

const ursula = withPassword('ursula');
ursula.credentials.push({
  type: 'otp',
  secretData: JSON.stringify({ value: 'the key of her code app' }),
  credentialData: JSON.stringify({ subType: 'totp', digits: 6, counter: 0, period: 30, algorithm: 'HmacSHA1' }),
});

export const redirectUri = 'https://shop.example.com/cb';
/** Base32 of the key of the code app. */
export const keyOfUrsula = 'ORUGKIDLMV4SA33GEBUGK4RAMNXWIZJAMFYHA';

/** A realm for an import of Keycloak. */
export const acme = {
  ...{ realm: 'acme', enabled: true },
  roles: { realm: [{ name: 'manager', composite: true, composites: { realm: ['clerk'] } }, { name: 'clerk' }] },
  groups: [{ name: 'staff', subGroups: [{ name: 'it', realmRoles: ['manager'] }] }],
  users: [{ ...ursula, groups: ['/staff/it'] }, withPassword('ben')],
  clients: [
    { clientId: 'shop', secret: 'the secret of the shop', redirectUris: [redirectUri] },
    { clientId: 'nightly', serviceAccountsEnabled: true },
  ],
};

/** The code flow of the client shop, which moved in; gives the claims of the ID token. `code`: of the user's code app. */
export async function signInAtShop(gatehouse: Pick<Gatehouse, 'authUrl'>, name: string, code?: string) {
  const { verifier, parameters } = createPkce();
  const url = buildAuthorizeUrl(gatehouse, {
    ...{ response_type: 'code', client_id: 'shop', redirect_uri: redirectUri, scope: 'openid' },
    ...parameters,
  });
  const browser = createTestBrowser();
  const answer = await signIn(url, [`${name}@example.com`, passwordOf(name)], browser);
  const last = code === undefined ? answer : await browser.submit(answer, url, { code });
  const redemption = {
    ...{ grant_type: 'authorization_code', redirect_uri: redirectUri, code_verifier: verifier },
    code: getLocation(last).searchParams.get('code') ?? '',
  };
  return readClaims((await getTokens(gatehouse, ['shop', 'the secret of the shop'], redemption)).id_token ?? '');
}
