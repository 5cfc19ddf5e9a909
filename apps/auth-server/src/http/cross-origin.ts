import { allowCredentialsOf, type CrossOriginRules } from '@gatehouse/service-kit/http';
import type { Client } from '../clients/client.ts';
import { isOriginOf } from '../clients/client-origins.ts';
import type { RegisteredOrigins } from '../clients/registered-origins.ts';
import type { HttpExchange } from './dpop.ts';

/** Where pages of a client may call in the credentials mode `include`, as some libraries do. No endpoint reads or sets a cookie. */
const credentialedPaths: ReadonlySet<string> = new Set(['/oauth/token', '/oauth/revoke', '/oauth/userinfo']);

/** The client is not known before the request itself, so a preflight is answered by the origins of all clients. */
export function createCrossOriginRules(registeredOrigins: RegisteredOrigins): CrossOriginRules {
  return {
    mayIncludeCredentials: async (path, origin) => credentialedPaths.has(path) && registeredOrigins.has(origin),
  };
}

/** Lets the client's own pages read the answer, also where they sent credentials. Call it once the client is known. */
export function allowPagesOf(client: Client, { request, reply }: HttpExchange): void {
  const { origin } = request.headers;
  if (origin !== undefined && isOriginOf(client, origin)) allowCredentialsOf(origin, reply);
}
