import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider from 'oidc-provider';

/** An account of the provider: its subject, and the claims of its ID token and userinfo. */
export interface ProviderAccount {
  subject: string;
  claims: Record<string, unknown>;
}

const machineFeatures = ['clientCredentials', 'introspection', 'revocation'];

/** A node-oidc-provider whose page signs in by the subject alone, and asks for no consent. */
export async function startOidcProvider({
  redirectUri,
  accounts,
  machine = false,
}: {
  redirectUri: string;
  accounts: ProviderAccount[];
  /** The client may ask for tokens of its own, introspect and revoke them. */
  machine?: boolean;
}) {
  const client = { client_id: 'gatehouse', client_secret: 'the-secret-of-gatehouse-there' };
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ ...client, redirect_uris: [redirectUri], response_types: ['code'] },
        grant_types: ['authorization_code', ...(machine ? ['client_credentials'] : [])],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      ...Object.fromEntries(machineFeatures.map((name) => [name, { enabled: machine }])),
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount(_context, id) {
      const found = accounts.find(({ subject }) => subject === id);
      return found && { accountId: id, claims: () => ({ sub: id, ...found.claims }) };
    },
    async loadExistingGrant(context) {
      const { Grant } = context.oidc.provider;
      const { clientId } = context.oidc.client ?? {};
      const { accountId } = context.oidc.session ?? {};
      const grant = new Grant({ ...(clientId && { clientId }), ...(accountId && { accountId }) });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  server.on('request', async (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle(request, response);
    if (request.method === 'POST') {
      const accountId = new URLSearchParams(await text(request)).get('subject') ?? '';
      return provider.interactionFinished(request, response, { login: { accountId } });
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><html lang="en"><title>The other server</title><link rel="icon" href="data:,">
<form method="post"><label>Subject <input name="subject"></label><button>Sign in there</button></form></html>`);
  });
  return {
    issuer,
    client,
    stop() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
