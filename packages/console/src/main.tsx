import { QueryClient, QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { App } from './app.tsx';
import { messages } from './messages/messages.ts';
import { applyTheme } from './parts/theme.ts';
import { createSession, handOver, isForAnother, type Session } from './session/session.ts';
import { consoleUrl, loadSettings } from './session/settings.ts';
import { SignInFailed } from './session/sign-in-failed.tsx';

const root = document.getElementById('app') as HTMLElement;
const basePath = consoleUrl.pathname.slice(0, -1);
const callbackPath = `${basePath}/callback`;
const answer = new URLSearchParams(location.search);
const isCallback = location.pathname === callbackPath;

applyTheme();
if (isCallback && isForAnother(answer)) {
  handOver(answer);
  render(<p class="lone">{messages.signIn.handedOver}</p>, root);
} else {
  begin().catch((error: unknown) => fail(error));
}

async function begin(): Promise<void> {
  const { settings, nonce } = await loadSettings();
  const session = createSession(settings, nonce);
  const here = location.pathname.slice(basePath.length) + location.search;
  if (!isCallback) return session.signIn(here);
  try {
    const path = await session.finish(answer);
    history.replaceState(null, '', basePath + path);
  } catch (error) {
    return fail(error, session);
  }
  session.watch();
  // The browser may say that it is offline where it is not.
  const networkMode = 'always' as const;
  const queries = new QueryClient({
    defaultOptions: { queries: { networkMode, retry: false, staleTime: 5_000 }, mutations: { networkMode } },
  });
  render(
    <QueryClientProvider client={queries}>
      <App settings={settings} session={session} basePath={basePath} />
    </QueryClientProvider>,
    root,
  );
}

function fail(error: unknown, session?: Session): void {
  const again = () => (session === undefined ? location.reload() : session.signIn('/', 'login'));
  render(<SignInFailed error={error} again={again} />, root);
}
