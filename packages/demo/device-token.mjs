import { setTimeout as sleep } from 'node:timers/promises';
import { StepError, send } from './send.mjs';

/**
 * @typedef {object} Device
 * @property {string} clientId
 * @property {string | undefined} clientSecret undefined for a public client
 * @property {string} tokenUrl the other endpoints have the same base
 * @property {string} scope
 */

/** The advice about an error of device authorization (RFC 8628 3.2).
 * @type {Record<string, string | undefined>} */
const advices = {
  unauthorized_client: 'register the client for device authorization',
  invalid_client: 'check ACTIVE_CLIENT_ID; a client with a secret needs ACTIVE_CLIENT_SECRET, a public client none',
};

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Gets an access token by device authorization (RFC 8628): tells the user where to sign in, and asks until that is done.
 *
 * @param {Device} device
 * @returns {Promise<{ token: string, username: string }>}
 */
export async function getDeviceToken(device) {
  const started = await startDevice(device);
  process.stderr.write(
    `To sign in, open ${started.verification_uri} and type the code ${started.user_code}\nor open ${started.verification_uri_complete}\n`,
  );
  const token = await pollForToken(device, String(started.device_code), Number(started.interval ?? 5));
  return { token, username: await getUsername(device, token) };
}

/** @param {Device} device */
async function startDevice(device) {
  const url = urlBeside(device, 'device_authorization');
  const { status, body } = await post('device', url, device, { scope: device.scope });
  if (status === 200) return body;
  const advice = advices[String(body.error)];
  throw new StepError(
    `device: ${url} answered ${status} ${body.error ?? ''} ${body.error_description ?? ''}`.trimEnd() +
      (advice === undefined ? '' : `: ${advice}`),
  );
}

/**
 * RFC 8628 3.5: waits before each request, and longer where the server says so.
 *
 * @param {Device} device
 * @param {string} deviceCode
 * @param {number} interval in seconds
 * @returns {Promise<string>}
 */
async function pollForToken(device, deviceCode, interval) {
  await sleep(interval * 1000);
  const form = { grant_type: grantType, device_code: deviceCode };
  const { status, body } = await post('token', device.tokenUrl, device, form);
  if (status === 200 && typeof body.access_token === 'string') return body.access_token;
  if (body.error === 'authorization_pending') return pollForToken(device, deviceCode, interval);
  if (body.error === 'slow_down') return pollForToken(device, deviceCode, interval + 5);
  throw new StepError(
    `token: ${device.tokenUrl} answered ${status} ${body.error ?? ''} ${body.error_description ?? ''}`.trimEnd(),
  );
}

/**
 * OpenID Connect Core 5.3: the name of the user who signed in.
 *
 * @param {Device} device
 * @param {string} token
 */
async function getUsername(device, token) {
  const url = urlBeside(device, 'userinfo');
  const { status, body } = await send('userinfo', url, { headers: { authorization: `Bearer ${token}` } });
  if (status === 200) return String(body.preferred_username);
  throw new StepError(
    `userinfo: ${url} answered ${status} ${body.error ?? ''} ${body.error_description ?? ''}`.trimEnd(),
  );
}

/**
 * @param {Device} device
 * @param {string} name
 */
function urlBeside({ tokenUrl }, name) {
  if (!URL.canParse(tokenUrl)) throw new StepError(`device: ${tokenUrl} is not a URL`);
  return new URL(name, tokenUrl).href;
}

/**
 * @param {string} step
 * @param {string} url
 * @param {Device} device
 * @param {Record<string, string>} form
 */
function post(step, url, { clientId, clientSecret }, form) {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`;
  return send(step, url, {
    method: 'POST',
    headers:
      clientSecret === undefined ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams(clientSecret === undefined ? { client_id: clientId, ...form } : form),
  });
}
