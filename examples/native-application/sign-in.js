// Signs a person in from a program that keeps no secret (RFC 8252), step by step in docs/guides/native-application.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import * as client from 'openid-client';

const { ISSUER = 'http://localhost:9000' } = process.env;

// The library refuses http, which is for development.
const options = ISSUER.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {};
const config = await client.discovery(new URL(ISSUER), 'my-native-app', undefined, client.None(), options);

// At port 0 the system gives a free one.
const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const redirectUri = `http://127.0.0.1:${server.address().port}/callback`;

const state = client.randomState();
const codeVerifier = client.randomPKCECodeVerifier();
const { href: address } = client.buildAuthorizationUrl(config, {
  redirect_uri: redirectUri,
  scope: 'openid profile email',
  state,
  code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
  code_challenge_method: 'S256',
});
process.stdout.write(`Sign in in your browser. If none opens, go to ${address}\n`);
openBrowser(address);

const callback = await waitForCallback();
server.close();
const tokens = await client.authorizationCodeGrant(config, callback, {
  pkceCodeVerifier: codeVerifier,
  expectedState: state,
});
const { name, email } = await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
process.stdout.write(`Hello, ${name}. Your e-mail address is ${email}.\n`);

/** In the browser of the system, never in a window of the program's own (RFC 8252 8.12). */
function openBrowser(url) {
  const openers = { darwin: ['open'], win32: ['rundll32', 'url.dll,FileProtocolHandler'] };
  const [command, ...parameters] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...parameters, url], { stdio: 'ignore', detached: true });
  // Where there is none, the person opens the address.
  child.on('error', () => {});
  child.unref();
}

/** The address that the browser comes back to, with the code or the error. */
function waitForCallback() {
  return new Promise((resolve) => {
    server.on('request', (request, response) => {
      const url = new URL(request.url, redirectUri);
      const isCallback = url.pathname === '/callback';
      response.writeHead(isCallback ? 200 : 404, { connection: 'close', 'content-type': 'text/plain' });
      response.end(isCallback ? 'Go back to the program. You can close this window.' : '');
      if (isCallback) resolve(url);
    });
  });
}
