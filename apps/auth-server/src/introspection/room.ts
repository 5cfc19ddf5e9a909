import type { Clock } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Consent } from '../consent/room.ts';
import type { Keys } from '../keys/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Resources } from '../resources/room.ts';
import type { Tokens } from '../tokens/room.ts';
import { createIntrospectToken, createSignIntrospection } from './introspect-token.ts';
import { registerIntrospection } from './introspection-endpoint.ts';

interface Needs {
  config: { authUrl: string };
  keys: Keys;
  organization: Organization;
  resources: Resources;
  clients: Clients;
  tokens: Tokens;
  consent: Consent;
  clock: Clock;
}

/** Tells resource servers whether a token is active, and its claims. */
export function createIntrospection(needs: Needs) {
  const { config, keys, organization, resources, clients, tokens, consent, clock } = needs;
  const issuer = config.authUrl;
  const introspectToken = createIntrospectToken({
    ...tokens,
    ...organization,
    ...consent,
    ...resources,
    issuer,
  });
  const signIntrospection = createSignIntrospection({ ...keys, issuer, clock });
  return {
    routes: {
      oauth: (scope: FastifyInstance) =>
        registerIntrospection(scope, {
          authenticateClient: clients.authenticateClient,
          introspectToken,
          signIntrospection,
        }),
    },
  };
}
