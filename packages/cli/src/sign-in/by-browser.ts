import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cliClientId } from '../connection/access.ts';
import type { Installation } from '../connection/discover.ts';
import type { Prover } from '../connection/prover.ts';
import { requestTokens, type Tokens } from '../connection/tokens.ts';
import { StepError } from '../failures.ts';
import type { SignInRequest } from './login.ts';

/** Milliseconds that a user has for the sign-in. */
const longestSignIn = 600_000;

const page = (text: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Gatehouse</title></head>
<body><p>${text}</p></body></html>`;

/** Signs in by a browser of this machine, which comes back to a loopback port (RFC 8252 7.3). */
export async function signInByBrowser(
  installation: Installation,
  prover: Prover,
  { scope, acr, maxAge, output }: SignInRequest,
): Promise<Tokens> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    const verifier = randomBytes(32).toString('base64url');
    const state = randomBytes(16).toString('base64url');
    const url = new URL(installation.authorizationEndpoint);
    url.search = new URLSearchParams({
      ...{ response_type: 'code', client_id: cliClientId, redirect_uri: redirectUri, scope, state },
      ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
      ...{ dpop_jkt: prover.jkt, ...(acr !== undefined && { acr_values: acr }) },
      ...(maxAge !== undefined && { max_age: maxAge }),
    }).toString();
    output.ask(`To sign in, open ${url.href}`);
    if (process.stderr.isTTY) openBrowser(url.href);
    const parameters = await waitForAnswer(server, { state, issuer: installation.issuer });
    const code = parameters.get('code');
    if (code === null) {
      const error = [parameters.get('error'), parameters.get('error_description')].filter((part) => part !== null);
      throw new StepError('sign-in', `the server answered ${error.join(': ')}`);
    }
    const form = { grant_type: 'authorization_code', client_id: cliClientId, code, redirect_uri: redirectUri };
    return await requestTokens(installation, prover, () => ({ form: { ...form, code_verifier: verifier } }));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The first answer of this sign-in; requests of any other are refused, and waited past. */
function waitForAnswer(
  server: ReturnType<typeof createServer>,
  { state, issuer }: { state: string; issuer: string },
): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new StepError('sign-in', 'nobody signed in within ten minutes')),
      longestSignIn,
    );
    server.on('close', () => clearTimeout(timer));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const isOurs = searchParams.get('state') === state && searchParams.get('iss') === issuer;
      if (pathname !== '/callback' || !isOurs) return sendPage(response, 404, 'There is no sign-in here.');
      const text = searchParams.has('code') ? 'You are signed in.' : 'The sign-in did not work.';
      sendPage(response, 200, `${text} Go back to the command line; you can close this window.`);
      response.on('finish', () => resolve(searchParams));
    });
  });
}

function sendPage(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(page(text));
}

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** The address was printed, so it does not matter whether this works. */
function openBrowser(url: string): void {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
  spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
