import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { policy, renderFailure, renderSignedIn, renderWelcome } from './pages.ts';
import { isDenied, type Provider } from './provider.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Settings } from './settings.ts';
import { readUserDetails } from './user-details.ts';

interface Dependencies {
  settings: Settings;
  provider: Provider;
  sessions: Sessions;
}

const cookieName = 'demo-session';

/** The demo application: `/`, and the ways to sign in, back, and out. */
export function createApplication(deps: Dependencies): Server {
  const routes: Record<string, (exchange: Exchange) => Promise<void>> = {
    'GET /': (exchange) => showStart(deps, exchange),
    'GET /health/ready': async ({ response }) => void response.writeHead(200).end(),
    'POST /sign-in': (exchange) => startSignIn(deps, exchange),
    'GET /callback': (exchange) => finishSignIn(deps, exchange),
    'POST /sign-out': (exchange) => signOut(deps, exchange),
  };
  return createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] as string;
    const name = readCookie(request);
    const exchange = { request, response, name, session: deps.sessions.find(name) };
    const route = routes[`${request.method} ${path}`];
    if (route === undefined) return sendPage(response, 404, renderFailure('There is nothing at this address.'));
    route(exchange).catch((error: unknown) => sendPage(response, 502, renderFailure(String(error))));
  });
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** Of the session. */
  name: string | undefined;
  session: Session | undefined;
}

async function showStart({ settings }: Dependencies, { response, session }: Exchange): Promise<void> {
  const signedIn = session?.signedIn;
  if (signedIn === undefined) return sendPage(response, 200, renderWelcome());
  const { preferred_username: username = '' } = signedIn.claims as { preferred_username?: string };
  const details = await readUserDetails(settings, signedIn.accessToken, username);
  sendPage(response, 200, renderSignedIn({ settings, details, ...signedIn }));
}

async function startSignIn({ provider, sessions }: Dependencies, { response, name }: Exchange): Promise<void> {
  const { url, pending } = await provider.startSignIn();
  sessions.end(name);
  redirect(response, url.href, sessions.start({ pending }));
}

async function finishSignIn(deps: Dependencies, { request, response, name, session }: Exchange): Promise<void> {
  const { provider, sessions } = deps;
  if (session?.pending === undefined) return redirect(response, '/');
  sessions.end(name);
  try {
    const signedIn = await provider.finishSignIn(request.url ?? '', session.pending);
    redirect(response, '/', sessions.start({ signedIn }));
  } catch (error) {
    if (!isDenied(error)) throw error;
    sendPage(response, 200, renderWelcome('You did not sign in.'));
  }
}

async function signOut({ provider, sessions }: Dependencies, { response, name, session }: Exchange): Promise<void> {
  sessions.end(name);
  redirect(response, session?.signedIn === undefined ? '/' : provider.buildSignOutUrl(session.signedIn).href);
}

function readCookie({ headers }: IncomingMessage): string | undefined {
  return new RegExp(`(?:^|; )${cookieName}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1];
}

function redirect(response: ServerResponse, location: string, name?: string): void {
  const cookie = name === undefined ? {} : { 'set-cookie': `${cookieName}=${name}; Path=/; HttpOnly; SameSite=Lax` };
  response.writeHead(303, { location, 'cache-control': 'no-store', ...cookie }).end();
}

function sendPage(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  response.end(page);
}
