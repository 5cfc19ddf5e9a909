import { type Answer, createTestBrowser, deviceGrant, type TestBrowser } from '@gatehouse/test-kit';
import { userForm } from './browser.ts';
import type { Realm, Registration, TokenAnswer } from './realm.ts';

export { deviceGrant };

/** A command line: a public client without a redirect URI. */
export const commandLine = {
  client_id: 'command-line',
  scope: ['openid', 'profile', 'offline_access', 'roles'],
  authorized_grant_types: [deviceGrant, 'refresh_token'],
};

/** The answer of the device authorization endpoint (RFC 8628 3.2). */
export interface DeviceAnswer {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

type Sender = Pick<Registration, 'client_id' | 'client_secret'>;

/** What a device does, and what its user does elsewhere. */
export function useDevices(realm: Realm) {
  const page = `${realm.url}/oauth/device`;
  const authorize = (
    client: Sender,
    form: Record<string, string> | string = {},
    headers: Record<string, string> = {},
  ) => {
    const fields = typeof form === 'string' ? form : new URLSearchParams(form).toString();
    const isPublic = client.client_secret === undefined;
    return realm.send('/oauth/device_authorization', {
      body: isPublic ? `client_id=${client.client_id}&${fields}` : fields,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      ...(isPublic ? {} : { basic: [client.client_id, client.client_secret ?? ''] as [string, string] }),
    });
  };
  const start = async (...request: Parameters<typeof authorize>): Promise<DeviceAnswer> => {
    const answer = await authorize(...request);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<DeviceAnswer>();
  };
  const poll = (
    client: Sender,
    { device_code }: Pick<DeviceAnswer, 'device_code'>,
    form: Record<string, string> = {},
  ) => realm.tokenRequest(client, { grant_type: deviceGrant, device_code, ...form });
  /** A browser whose user has just signed in at the page. */
  const signIn = async (user: Record<string, string> = userForm): Promise<TestBrowser> => {
    const browser = createTestBrowser();
    await browser.submit(await browser.get(page), page, user);
    return browser;
  };
  const open = (browser: TestBrowser, userCode: string): Promise<Answer> =>
    browser.get(`${page}?${new URLSearchParams({ user_code: userCode })}`);
  /** Signs in, opens the page with the code and presses a button. */
  const decide = async (
    { user_code }: Pick<DeviceAnswer, 'user_code'>,
    { decision = 'allow', user = userForm }: { decision?: string; user?: Record<string, string> } = {},
  ): Promise<Answer> => {
    const browser = await signIn(user);
    return browser.submit(await open(browser, user_code), page, { decision });
  };
  /** The tokens of a device that a user allowed. */
  const connect = async (
    client: Sender,
    form: Record<string, string> = {},
    user: Record<string, string> = userForm,
  ): Promise<TokenAnswer> => {
    const started = await start(client, form);
    await decide(started, { user });
    const answer = await poll(client, started);
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json<TokenAnswer>();
  };
  return { page, authorize, start, poll, signIn, open, decide, connect };
}
