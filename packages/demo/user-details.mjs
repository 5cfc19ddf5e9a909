#!/usr/bin/env node
/*
 * Gets an access token by the password grant (RFC 6749 4.3) and prints a user's details. An example to copy from:
 * no dependencies, Node 20 or later.
 *
 *   ACTIVE_USERNAME=… ACTIVE_PASSWORD=… ACTIVE_CLIENT_ID=… ACTIVE_CLIENT_SECRET=… \
 *   ACTIVE_API=http://localhost:9001 ACTIVE_TOKEN_URL=http://localhost:9000/oauth/token \
 *   npm run user-details -- [username]
 *
 * With --device it takes no password: the user signs in with a browser, on this machine or another (RFC 8628; device-token.mjs).
 */
import { parseArgs } from 'node:util';
import { getDeviceToken } from './device-token.mjs';
import { StepError, send } from './send.mjs';

/** The flag of each setting, and the variable that counts where the flag is absent. */
const settings = /** @type {const} */ ({
  username: 'ACTIVE_USERNAME',
  password: 'ACTIVE_PASSWORD',
  api: 'ACTIVE_API',
  'client-id': 'ACTIVE_CLIENT_ID',
  'client-secret': 'ACTIVE_CLIENT_SECRET',
  'token-url': 'ACTIVE_TOKEN_URL',
});

/** The settings that --device does without. */
const neededByPassword = ['username', 'password', 'client-secret'];

/** The advice about an error of the token endpoint (RFC 6749 5.2).
 * @type {Record<string, string | undefined>} */
const advices = {
  invalid_grant: 'check ACTIVE_USERNAME and ACTIVE_PASSWORD',
  invalid_client: 'check ACTIVE_CLIENT_ID and ACTIVE_CLIENT_SECRET',
  unauthorized_client: 'register the client for the password grant, or use --device',
};

/** @typedef {Record<keyof typeof settings, string>} Settings */

try {
  const { values, device, of } = readSettings(process.argv.slice(2));
  const { token, username } = device ? await getDeviceToken(toDevice(values, of)) : await getToken(values);
  const details = await getUserDetails(values, token, of ?? username);
  process.stdout.write(`${JSON.stringify(details, null, 2)}\n`);
} catch (error) {
  const message = error instanceof StepError ? error.message : `failed: ${String(error)}`;
  process.stderr.write(`user-details: ${message.replace(/\s+/g, ' ')}\n`);
  process.exitCode = 1;
}

/**
 * @param {string[]} args
 * @returns {{ values: Settings, device: boolean, of: string | undefined }} `of`: the user whose details are asked for; undefined
 *   for the one who signs in
 */
function readSettings(args) {
  const { values, device, positionals } = parseFlags(args);
  const missing = [];
  for (const [flag, variable] of Object.entries(settings)) {
    const value = values[flag] ?? process.env[variable];
    if (value !== undefined && value !== '') values[flag] = value;
    else if (!device || !neededByPassword.includes(flag)) missing.push(`${variable} (or --${flag})`);
  }
  if (missing.length > 0) throw new StepError(`settings: missing ${missing.join(', ')}`);
  checkForms(values, positionals[0]);
  return { values: /** @type {Settings} */ (values), device, of: positionals[0] };
}

/**
 * @param {Record<string, string | undefined>} values
 * @param {string | undefined} of
 */
function checkForms({ api = '', 'token-url': tokenUrl = '', username }, of) {
  checkUrl('ACTIVE_API (--api)', api, 'http://localhost:9001');
  checkUrl('ACTIVE_TOKEN_URL (--token-url)', tokenUrl, 'http://localhost:9000/oauth/token');
  for (const name of [username, of]) {
    if (name === undefined || name.includes('@')) continue;
    throw new StepError(`settings: a username has an @: write ${name}@ and the domain, such as user@example.com`);
  }
}

/**
 * @param {string} name
 * @param {string} url
 * @param {string} example
 */
function checkUrl(name, url, example) {
  if (/^https?:\/\/[^/]/i.test(url) && URL.canParse(url)) return;
  throw new StepError(`settings: ${name} must be a URL that begins with http:// or https://, such as ${example}`);
}

/**
 * @param {string[]} args
 * @returns {{ values: Record<string, string | undefined>, device: boolean, positionals: string[] }}
 */
function parseFlags(args) {
  const options = Object.fromEntries(
    Object.keys(settings).map((flag) => [flag, { type: /** @type {const} */ ('string') }]),
  );
  try {
    const all = { ...options, device: { type: /** @type {const} */ ('boolean') } };
    const { values, positionals } = parseArgs({ args, options: all, allowPositionals: true });
    if (positionals.length > 1) throw new StepError('settings: name one user at most');
    const { device = false, ...texts } = values;
    return { values: /** @type {Record<string, string | undefined>} */ (texts), device: device === true, positionals };
  } catch (error) {
    if (error instanceof StepError) throw error;
    throw new StepError(`settings: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {Settings} values
 * @param {string | undefined} of
 */
function toDevice(values, of) {
  const { 'client-id': clientId, 'client-secret': clientSecret, 'token-url': tokenUrl } = values;
  // The roles of the user go to a device only where it asks for them, and only another user's details need one.
  const scope = of === undefined ? 'openid profile' : 'openid profile roles';
  return { clientId, clientSecret, tokenUrl, scope };
}

/**
 * @param {Settings} values
 * @returns {Promise<{ token: string, username: string }>}
 */
async function getToken(values) {
  const client = `${encodeURIComponent(values['client-id'])}:${encodeURIComponent(values['client-secret'])}`;
  const answer = await send('token', values['token-url'], {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(client).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username: values.username, password: values.password }),
  });
  const { access_token: token, error, error_description: description } = answer.body;
  if (answer.status === 200 && typeof token === 'string') return { token, username: values.username };
  const advice = advices[String(error)];
  throw new StepError(
    `token: ${values['token-url']} answered ${answer.status} ${error ?? ''} ${description ?? ''}`.trimEnd() +
      (advice === undefined ? '' : `: ${advice}`),
  );
}

/**
 * @param {Settings} values
 * @param {string} token
 * @param {string} of
 */
async function getUserDetails(values, token, of) {
  const path = `/organization/api/organization/user/allDetails/userId/${encodeURIComponent(of)}`;
  const url = values.api.replace(/\/+$/, '') + path;
  const answer = await send('user details', url, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status === 200) return answer.body;
  throw new StepError(`user details: ${url} answered ${answer.status} ${answer.body.detail ?? ''}`.trimEnd());
}
