import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { createMemoryAdapter } from './memory-adapter.ts';
import { buildConfiguration, peerClient } from './oidc-provider-configuration.ts';
import { createSeed } from './oidc-provider-seed.ts';

/*
 * Runs node-oidc-provider with everything in memory. `ALG` and `FORMAT` in the environment choose the form of access tokens.
 */

const issuer = `http://127.0.0.1:${process.env.PORT}`;
const algorithm = process.env.ALG === 'RS256' ? 'RS256' : 'ES256';
const format = process.env.FORMAT === 'opaque' ? 'opaque' : 'jwt';
const configuration = await buildConfiguration({ issuer, algorithm, format });
const provider = new Provider(issuer, { ...configuration, adapter: createMemoryAdapter() });
const handle = provider.callback();
const seed = createSeed(provider, { clientId: peerClient.clientId, resource: `${issuer}/api` });

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
  if (pathname === '/health/ready') response.end();
  else if (!pathname.startsWith('/seed/')) void handle(request, response);
  else void seed(pathname, Number(searchParams.get('count'))).then((made) => response.end(JSON.stringify(made)));
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
