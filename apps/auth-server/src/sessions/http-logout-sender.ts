import { request } from 'undici';
import type { SendLogoutToken } from './session-participants.ts';

const timeout = 3_000;

/**
 * Posts a logout token (Back-Channel Logout 1.0 section 2.5). The address was registered by an administrator; redirects
 * are not followed and the answer is not read, so that it leads nowhere else.
 */
export const sendLogoutTokenByHttp: SendLogoutToken = async (uri, logoutToken) => {
  const { statusCode, body } = await request(uri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: logoutToken }).toString(),
    signal: AbortSignal.timeout(timeout),
  });
  await body.dump();
  if (statusCode !== 200 && statusCode !== 204) throw new Error(`the client answered ${statusCode}`);
};
