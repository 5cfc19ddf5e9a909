import { pbkdf2Sync, randomBytes } from 'node:crypto';
import {
  type Answer,
  call,
  createAuthenticator,
  createTestBrowser,
  type Gatehouse,
  showCode,
  type TestBrowser,
} from '@gatehouse/test-kit';
import { buildAuthorizeUrl, createPkce, getLocation } from '../../support/authorization.ts';
import { type Credentials, passwordKind, redirectUri, registerClient } from '../../support/clients.ts';
import { deviceKind, startDevice } from '../../support/device.ts';
import { getAdministratorToken, getTokens, postToken } from '../../support/tokens.ts';
import { createUserAdministration } from '../../support/users.ts';

const groups = ['staff'];
const identities = [{ issuer: 'https://login.partner.example', subject: '1234' }];
const password = 'the password of everybody here';
const kinds = ['password alone', 'code app', 'passkey', 'account elsewhere', 'imported hash'] as const;
type Kind = (typeof kinds)[number];

/**
 * Administrators, with one password, of whom some have a second step. One is in a group, with an account at another server; the
 * password of one is as another server hashed it.
 */
export interface People {
  /** The status at each door of auth-server where the right password is typed. */
  tryDoors(kind: Kind): Promise<Record<string, number>>;
  /** Whether the session and the refresh token that began at the set-up go on. */
  goOn(kind: Kind): Promise<boolean>;
  /** What org-api says of the one who is in a group. */
  describeMember(): Promise<{ groups: unknown; identities: unknown }>;
  /** Whether the password and a code after it sign in. */
  signInByCode(): Promise<boolean>;
}

export async function makePeople(gatehouse: Gatehouse): Promise<People> {
  const { authUrl } = gatehouse;
  const app = await registerClient(gatehouse, passwordKind());
  const device = await registerClient(gatehouse, deviceKind());
  const users = createUserAdministration(gatehouse, await getAdministratorToken(gatehouse, app));
  const begun = new Map<Kind, { browser: TestBrowser; refreshToken: string }>();
  let recoveryCode = '';

  const credentialsOf = (kind: Kind): Credentials => [`${kind.replace(' ', '.')}@example.com`, password];
  const ask = (more: Record<string, string> = {}) => {
    const { verifier, parameters } = createPkce();
    const code = { response_type: 'code', client_id: app[0], redirect_uri: redirectUri, state: 'the-state' };
    return { url: buildAuthorizeUrl(gatehouse, { ...code, scope: 'openid', ...parameters, ...more }), verifier };
  };
  const enter = async (kind: Kind, url: string, browser = createTestBrowser()): Promise<Answer> => {
    const [username] = credentialsOf(kind);
    return browser.submit(await browser.get(url), url, { username, password });
  };
  const setUp = async (kind: Kind, page: Answer, url: string, browser: TestBrowser): Promise<Answer> => {
    const fields: Record<string, string> =
      kind === 'passkey' ? { credential: makePasskey(page, authUrl) } : { code: showAppCode(page) };
    const codes = await browser.submit(page, url, fields);
    if (kind === 'code app') recoveryCode = /<code>([^<]*)<\/code>/.exec(codes.text)?.[1] ?? '';
    return browser.submit(codes, url, { kept: 'yes' });
  };
  const begin = async (kind: Kind): Promise<void> => {
    const [username] = credentialsOf(kind);
    const fields = { username, userType: 'Person', lastName: kind };
    if (kind === 'account elsewhere') {
      await users.importAll({ ...fields, groups, identities });
      await users.setPassword(username, password);
    } else if (kind === 'imported hash') await users.importAll({ ...fields, passwordHash: hashElsewhere() });
    else await users.create({ ...fields, password });
    await users.change(username, { roles: ['SystemAdministrator'] });
    // The first sign-in would put a hash of ours in the place of that one.
    if (kind === 'imported hash') return;
    const browser = createTestBrowser();
    const { url, verifier } = ask(hasSecondStep(kind) ? { acr_values: 'urn:gatehouse:acr:mfa' } : {});
    const page = await enter(kind, url, browser);
    const answer = hasSecondStep(kind) ? await setUp(kind, page, url, browser) : page;
    const code = getLocation(answer).searchParams.get('code') ?? '';
    const redemption = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const { refresh_token: refreshToken = '' } = await getTokens(gatehouse, app, redemption);
    begun.set(kind, { browser, refreshToken });
  };
  for (const name of groups) await users.makeGroup(name);
  for (const kind of kinds) await begin(kind);

  return {
    async describeMember() {
      const user = `${gatehouse.baseUrl}/organization/api/organization/user/userId/account.elsewhere@example.com`;
      const bearer = await getAdministratorToken(gatehouse, app);
      const [record, accounts] = await Promise.all([call(user, { bearer }), call(`${user}/identities`, { bearer })]);
      return { groups: record.json().groups, identities: accounts.json().identities };
    },
    async tryDoors(kind) {
      const [username] = credentialsOf(kind);
      const { verification_uri_complete: devicePage } = await startDevice(gatehouse, device);
      const answers = {
        'sign-in page': await enter(kind, ask().url),
        'page for devices': await enter(kind, devicePage),
        'list of applications': await enter(kind, `${authUrl}/oauth/consents-sign-in`),
        'grant type password': await postToken(gatehouse, {
          basic: app,
          form: { grant_type: 'password', username, password },
        }),
        'Basic at administration': await call(`${authUrl}/clients`, { basic: credentialsOf(kind) }),
      };
      return Object.fromEntries(Object.entries(answers).map(([door, { status }]) => [door, status]));
    },
    async goOn(kind) {
      const { browser, refreshToken } = begun.get(kind) ?? {};
      const silent = await browser?.get(ask({ prompt: 'none' }).url);
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken ?? '' };
      const { refresh_token: next } = await getTokens(gatehouse, app, form);
      if (browser !== undefined && next !== undefined) begun.set(kind, { browser, refreshToken: next });
      return silent !== undefined && getLocation(silent).searchParams.has('code');
    },
    async signInByCode() {
      const browser = createTestBrowser();
      const { url } = ask();
      const page = await enter('code app', url, browser);
      const answer = await browser.submit(page, url, { code: recoveryCode });
      return getLocation(answer).searchParams.has('code');
    },
  };
}

const hasSecondStep = (kind: Kind): boolean => kind === 'code app' || kind === 'passkey';

function hashElsewhere(): string {
  const [salt, iterations] = [randomBytes(16), 1_000];
  const key = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const [shownSalt, shownKey] = [salt, key].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$pbkdf2-sha256$i=${iterations}$${shownSalt}$${shownKey}`;
}

function showAppCode({ text }: Answer): string {
  return showCode(/name="secret" value="([A-Z2-7]+)"/.exec(text)?.[1] ?? '');
}

function makePasskey({ text }: Answer, origin: string): string {
  const { create } = JSON.parse(/ id="webauthn">([^<]*)</.exec(text)?.[1] ?? '');
  const authenticator = createAuthenticator({ rpId: 'localhost', origin });
  return authenticator.create({ challenge: create.challenge, userHandle: create.user.id });
}
