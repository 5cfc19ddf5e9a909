#!/usr/bin/env node
/*
 * Gets an access token by the password grant (RFC 6749 4.3) and prints a user's details. An example to copy from:
 * one file, no dependencies, Node 20 or later.
 *
 *   ACTIVE_USERNAME=… ACTIVE_PASSWORD=… ACTIVE_CLIENT_ID=… ACTIVE_CLIENT_SECRET=… \
 *   ACTIVE_API=http://localhost:9001 ACTIVE_TOKEN_URL=http://localhost:9000/oauth/token \
 *   npm run user-details -- [username]
 */
import { parseArgs } from 'node:util';

/** The flag of each setting, and the variable that counts where the flag is absent. */
const settings = /** @type {const} */ ({
  username: 'ACTIVE_USERNAME',
  password: 'ACTIVE_PASSWORD',
  api: 'ACTIVE_API',
  'client-id': 'ACTIVE_CLIENT_ID',
  'client-secret': 'ACTIVE_CLIENT_SECRET',
  'token-url': 'ACTIVE_TOKEN_URL',
});

/** @typedef {Record<keyof typeof settings, string>} Settings */

/** A step that failed; the message is one line and holds no secret. */
class StepError extends Error {}

try {
  const { values, of } = readSettings(process.argv.slice(2));
  const token = await getToken(values);
  const details = await getUserDetails(values, token, of);
  process.stdout.write(`${JSON.stringify(details, null, 2)}\n`);
} catch (error) {
  const message = error instanceof StepError ? error.message : `failed: ${String(error)}`;
  process.stderr.write(`user-details: ${message.replace(/\s+/g, ' ')}\n`);
  process.exitCode = 1;
}

/**
 * @param {string[]} args
 * @returns {{ values: Settings, of: string }} `of`: the user whose details are asked for
 */
function readSettings(args) {
  const { values, positionals } = parseFlags(args);
  const missing = [];
  for (const [flag, variable] of Object.entries(settings)) {
    const value = values[flag] ?? process.env[variable];
    if (value === undefined || value === '') missing.push(`${variable} (or --${flag})`);
    else values[flag] = value;
  }
  if (missing.length > 0) throw new StepError(`settings: missing ${missing.join(', ')}`);
  const known = /** @type {Settings} */ (values);
  return { values: known, of: positionals[0] ?? known.username };
}

/**
 * @param {string[]} args
 * @returns {{ values: Record<string, string | undefined>, positionals: string[] }}
 */
function parseFlags(args) {
  const options = Object.fromEntries(
    Object.keys(settings).map((flag) => [flag, { type: /** @type {const} */ ('string') }]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (positionals.length > 1) throw new StepError('settings: name one user at most');
    return { values: /** @type {Record<string, string | undefined>} */ ({ ...values }), positionals };
  } catch (error) {
    if (error instanceof StepError) throw error;
    throw new StepError(`settings: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {Settings} values
 * @returns {Promise<string>}
 */
async function getToken(values) {
  const client = `${encodeURIComponent(values['client-id'])}:${encodeURIComponent(values['client-secret'])}`;
  const answer = await send('token', values['token-url'], {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(client).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'password', username: values.username, password: values.password }),
  });
  const { access_token: token, error, error_description: description } = answer.body;
  if (answer.status === 200 && typeof token === 'string') return token;
  throw new StepError(
    `token: ${values['token-url']} answered ${answer.status} ${error ?? ''} ${description ?? ''}`.trimEnd(),
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

/**
 * @param {string} step
 * @param {string} url
 * @param {RequestInit} init
 * @returns {Promise<{ status: number, body: Record<string, unknown> }>}
 */
async function send(step, url, init) {
  if (!URL.canParse(url)) throw new StepError(`${step}: ${url} is not a URL`);
  const response = await fetch(url, init).catch((error) => {
    throw new StepError(`${step}: ${url} is out of reach (${error.cause?.code ?? error.message})`);
  });
  const body = /** @type {Record<string, unknown>} */ (await response.json().catch(() => ({})));
  return { status: response.status, body };
}
