import { waitUntilReady } from '../wait-until-ready.ts';
import { connectProvider } from './provider.ts';
import { registerClient } from './register-client.ts';
import { createApplication } from './server.ts';
import { createSessions } from './sessions.ts';
import { readSettings } from './settings.ts';

/*
 * The demo application of `npm start`: a process of its own that signs users in at auth-server. An
 * example to read: provider.ts is all that an application needs of OpenID Connect.
 */

const settings = readSettings();
const never = () => false;
await waitUntilReady('org-api', settings.baseUrl, never);
await waitUntilReady('auth-server', settings.authUrl, never);
const provider = await connectProvider(settings, await registerClient(settings));
const server = createApplication({ settings, provider, sessions: createSessions() });
const { port, protocol } = new URL(settings.demoUrl);
server.listen(Number(port || (protocol === 'https:' ? 443 : 80)), settings.host);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
}
