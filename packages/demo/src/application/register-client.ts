import { ownRequestId } from '../console.ts';
import type { Settings } from './settings.ts';

export const clientId = 'demo-application';

/** The demo administrator: there is none in production, and no demo application. */
const administrator = `Basic ${Buffer.from('admin@example.com:admin-password').toString('base64')}`;

/**
 * Registers the application as a client, or brings its registration up to date. Gives a new secret, which this process
 * alone knows.
 */
export async function registerClient({ authUrl, demoUrl }: Settings): Promise<string> {
  const settings = {
    client_name: 'Demo application',
    scope: ['openid', 'profile', 'email', 'roles'],
    authorized_grant_types: ['authorization_code', 'refresh_token'],
    redirect_uri: `${demoUrl}/callback`,
    post_logout_redirect_uris: [`${demoUrl}/`],
  };
  const url = `${authUrl}/clients/${clientId}`;
  const { status } = await send(url, 'GET');
  if (status === 404) {
    const secret = crypto.randomUUID() + crypto.randomUUID();
    await sendChecked(`${authUrl}/clients`, 'POST', { client_id: clientId, client_secret: secret, ...settings });
    return secret;
  }
  await sendChecked(url, 'PATCH', settings);
  const answer = await sendChecked(`${url}/secret`, 'POST', {});
  return ((await answer.json()) as { client_secret: string }).client_secret;
}

function send(url: string, method: string, body?: object): Promise<Response> {
  const headers = {
    authorization: administrator,
    'x-request-id': ownRequestId,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

async function sendChecked(url: string, method: string, body: object): Promise<Response> {
  const answer = await send(url, method, body);
  if (answer.ok) return answer;
  throw new Error(`${method} ${url} answered ${answer.status} ${await answer.text()}`);
}
