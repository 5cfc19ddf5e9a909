import {
  type Answer,
  call,
  createTestBrowser,
  deviceGrant,
  type Gatehouse,
  type TestBrowser,
} from '@gatehouse/test-kit';
import { type ClientFields, passwordKind } from './clients.ts';
import { plainUser } from './people.ts';

export { deviceGrant };

/** The answer of the device authorization endpoint (RFC 8628 3.2). */
export interface DeviceAnswer {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
}

/** A client of a device: with a secret, or public. */
export function deviceKind(changes: Partial<ClientFields> = {}): ClientFields {
  const authorized_grant_types = [deviceGrant, 'refresh_token'];
  return passwordKind({ authorized_grant_types, redirect_uri: undefined, ...changes });
}

/** Asks for a device code. */
export async function startDevice(
  { authUrl }: Pick<Gatehouse, 'authUrl'>,
  basic: readonly [string, string],
  form: Record<string, string> = {},
): Promise<DeviceAnswer> {
  const answer = await call(`${authUrl}/oauth/device_authorization`, { basic: [...basic], form });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json<DeviceAnswer>();
}

/** Signs a user in at the page of the code; gives the page that asks for the decision. */
export async function openDevicePage(
  url: string,
  [username, password]: readonly [string, string] = plainUser,
  browser: TestBrowser = createTestBrowser(),
): Promise<{ browser: TestBrowser; page: Answer }> {
  const page = await browser.submit(await browser.get(url), url, { username, password });
  return { browser, page };
}

/** Signs in and presses a button of the page. */
export async function decideDevice(
  { verification_uri_complete: url }: Pick<DeviceAnswer, 'verification_uri_complete'>,
  decision: 'allow' | 'deny' = 'allow',
  user: readonly [string, string] = plainUser,
): Promise<Answer> {
  const { browser, page } = await openDevicePage(url, user);
  return browser.submit(page, url, { decision });
}
