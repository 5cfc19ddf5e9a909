import cookie from '@fastify/cookie';
import {
  AuditEventView,
  createServer,
  problemNotFoundHandler,
  registerHealth,
  registerMetrics,
  registerOpenApi,
  registerTracing,
} from '@gatehouse/service-kit';
import { ProblemDetails } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { registerAuthServerAuditEvents } from './administration/audit-events-endpoint.ts';
import { ClientView } from './administration/client-view.ts';
import { registerClientAdministration } from './administration/clients-endpoint.ts';
import { registerClientRegistration } from './administration/registration-endpoint.ts';
import { registerAuthorize } from './authorization/authorization-endpoint.ts';
import { registerConsent } from './authorization/consent-endpoint.ts';
import { registerPushedAuthorizationRequest } from './authorization/pushed-request-endpoint.ts';
import { registerSignIn } from './authorization/sign-in-endpoint.ts';
import { registerConsents } from './consent/consents-endpoint.ts';
import type { Dependencies } from './dependencies.ts';
import { registerMetadata } from './discovery/metadata-endpoint.ts';
import { meterTokenRequests } from './grants/meter-token-requests.ts';
import { registerToken } from './grants/token-endpoint.ts';
import { authServerErrorHandler } from './http/error-handlers.ts';
import { acceptForms, registerOAuthScope } from './http/oauth-endpoint.ts';
import { OAuthErrorBody } from './http/oauth-schemas.ts';
import { registerIntrospection } from './introspection/introspection-endpoint.ts';
import { registerJwks } from './keys/jwks-endpoint.ts';
import { createPageErrorHandler } from './pages/page-error-handler.ts';
import { registerLogout } from './sessions/logout-endpoint.ts';
import { registerStatusList } from './status-lists/status-list-endpoint.ts';
import { registerRevocation } from './tokens/revocation-endpoint.ts';
import { registerUserinfo } from './tokens/userinfo-endpoint.ts';

/** The authorization server, route by route. */
export async function buildApp(deps: Dependencies): Promise<FastifyInstance> {
  const { config, log, metrics, tracing, database, signingKeys } = deps;
  const app = createServer({ log, trustProxy: config.trustProxy, publicUrl: config.authUrl });
  registerTracing(app, tracing);
  app.setErrorHandler(authServerErrorHandler);
  app.setNotFoundHandler(problemNotFoundHandler);
  for (const schema of [ProblemDetails, OAuthErrorBody, ClientView, AuditEventView]) app.addSchema(schema);

  await registerOpenApi(app, describeApi(config.authUrl));
  registerMetrics(app, metrics);

  // Clients: registration and administration
  await registerClientRegistration(app, deps);
  registerClientAdministration(app, deps);

  // Who did what
  registerAuthServerAuditEvents(app, deps);

  // What clients call directly
  await registerOAuthScope(app, config, (oauth) => {
    meterTokenRequests(oauth, metrics);
    registerToken(oauth, deps);
    registerIntrospection(oauth, deps);
    registerRevocation(oauth, deps);
    registerUserinfo(oauth, deps);
    registerPushedAuthorizationRequest(oauth, deps);
  });

  // What people see in a browser
  await app.register(async (pages) => {
    await pages.register(cookie);
    await acceptForms(pages);
    pages.setErrorHandler(createPageErrorHandler(config.realm));
    registerAuthorize(pages, { ...deps, findSignedInUser: deps.findSignedInUserOfRequest });
    registerSignIn(pages, deps);
    registerConsent(pages, deps);
    registerConsents(pages, deps);
    registerLogout(pages, deps);
  });

  registerJwks(app, deps);
  registerStatusList(app, deps);
  registerMetadata(app, deps);
  registerHealth(app, [
    { name: 'database', check: () => database.check() },
    { name: 'signing-keys', check: () => signingKeys.check() },
  ]);
  return app;
}

function describeApi(authUrl: string) {
  const basic = (description: string) => ({ type: 'http', scheme: 'basic', description }) as const;
  return {
    info: {
      title: 'Gatehouse authorization server',
      description: 'OAuth 2.0 and OpenID Connect: registers clients, signs users in, issues tokens.',
      version: '1.0.0',
    },
    servers: [{ url: authUrl }],
    components: {
      securitySchemes: {
        client: basic('client_id and client_secret (RFC 6749 2.3.1)'),
        administrator: basic('Username and password of an administrator, or a service-account client'),
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token (RFC 9068)' },
        boundAccessToken: {
          type: 'http',
          scheme: 'dpop',
          description: 'An access token that is bound to a key, with a proof in the header DPoP (RFC 9449 7.1)',
        },
      } as const,
    },
  };
}
