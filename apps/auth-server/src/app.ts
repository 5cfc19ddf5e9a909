import cookie from '@fastify/cookie';
import { AuditEventView } from '@gatehouse/service-kit/audit';
import {
  accessOfConsole,
  ConfigurationView,
  createServer,
  DryRun,
  describeSharedFailures,
  describeSignIn,
  registerHealth,
  registerMetrics,
  registerOpenApi,
} from '@gatehouse/service-kit/http';
import { RefusalView } from '@gatehouse/service-kit/refusals';
import { registerTracing } from '@gatehouse/service-kit/tracing';
import { consolePaths, ProblemDetails } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { ClientView } from './administration/client-view.ts';
import { IssuerView } from './administration/issuer-view.ts';
import { ResourceView } from './administration/resource-view.ts';
import { UpstreamView } from './administration/upstream-view.ts';
import type { Dependencies } from './dependencies.ts';
import { createCrossOriginRules } from './http/cross-origin.ts';
import { authServerErrorHandler } from './http/error-handlers.ts';
import { refuseOwnScripts } from './http/fetch-metadata.ts';
import { acceptForms, OAuthErrorBody, registerOAuthScope } from './http/oauth-endpoint.ts';
import { ConsentView } from './oversight/consent-view.ts';
import { GrantView } from './oversight/grant-view.ts';
import { SigningKeyView } from './oversight/keys-endpoint.ts';
import { registerAssets } from './pages/assets-endpoint.ts';
import { describePages } from './pages/describe-page.ts';
import { loadLanguages } from './pages/messages/choose-messages.ts';
import { createNotFoundHandler } from './pages/not-found-page.ts';
import { createPageErrorHandler } from './pages/page-error-handler.ts';
import { createPageFrame } from './pages/page-frame.ts';
import { ClientInformation } from './registration/client-information.ts';
import { InitialTokenView } from './registration/initial-token-view.ts';
import { SessionView } from './sessions/session-view.ts';

/** The authorization server: three scopes, and the routes that each room has in them. */
export async function buildApp(deps: Dependencies): Promise<FastifyInstance> {
  const { config, log, metrics, tracing, database, signingKeys, rooms, refusals, version } = deps;
  const { trustProxy, authUrl: publicUrl, consoleUrl } = config;
  const app = createServer({
    log,
    trustProxy,
    publicUrl,
    rewriteUrl: deps.rewriteUrl,
    console: accessOfConsole(consoleUrl, consolePaths.authServer),
    refusals,
  });
  registerTracing(app, tracing);
  app.setErrorHandler(authServerErrorHandler);
  app.setNotFoundHandler(createNotFoundHandler(config.realm));
  app.decorate('pageFrame', createPageFrame(config));
  const views = [
    ClientView,
    ResourceView,
    IssuerView,
    UpstreamView,
    InitialTokenView,
    ClientInformation,
    AuditEventView,
    SessionView,
    GrantView,
    ConsentView,
    SigningKeyView,
    ConfigurationView,
    RefusalView,
  ];
  for (const schema of [ProblemDetails, OAuthErrorBody, DryRun, ...views]) app.addSchema(schema);

  const reference = { publicUrl: config.authUrl, issuer: config.authUrl, demoData: config.demoData };
  await registerOpenApi(app, describeApi(reference, version), { ...reference, demoCredentials });
  registerMetrics(app, metrics);

  for (const { routes } of rooms) if ('api' in routes) await routes.api(app);
  // The endpoints that clients call directly.
  const crossOriginRules = createCrossOriginRules(deps.registeredOrigins);
  await registerOAuthScope(app, { realm: config.realm, crossOriginRules }, (oauth) => {
    for (const { routes } of rooms) if ('oauth' in routes) routes.oauth(oauth);
  });
  // The pages that people see in a browser.
  await app.register(async (pages) => {
    await pages.register(cookie);
    await acceptForms(pages);
    pages.addHook('onRequest', loadLanguages);
    pages.setErrorHandler(createPageErrorHandler(config.realm));
    refuseOwnScripts(pages);
    describeSharedFailures(pages, describePages);
    registerAssets(pages, config);
    for (const { routes } of rooms) if ('pages' in routes) routes.pages(pages);
  });
  registerHealth(app, [
    { name: 'database', check: () => database.check() },
    { name: 'signing-keys', check: signingKeys.check, findFault: signingKeys.findFault },
  ]);
  return app;
}

/** Of the demo data: org-api creates this administrator. */
const demoCredentials = { scheme: 'administrator', username: 'admin@example.com', password: 'admin-password' };

/** Markdown. */
const firstSteps = `OAuth 2.0 and OpenID Connect: registers clients, signs users in, issues tokens.

1. **Register a client**: \`POST /clients\`, as an administrator.
2. **Get a token**: \`POST /oauth/token\`, with the client_id and the client_secret of that client.
3. **Use it**: \`GET /oauth/userinfo\`. **Authorize** signs you in here, without a client of your own where there is demo data.

Their examples can be sent as they stand.`;

/** In the order in which a newcomer needs them. */
const tags = [
  { name: 'clients', description: 'Register and administer clients' },
  { name: 'oauth', description: 'Sign users in, get, check and revoke tokens' },
  { name: 'metadata', description: 'What works here, and the keys that verify tokens' },
  { name: 'resources', description: 'Your own APIs, as access tokens are meant for them' },
  { name: 'registration', description: 'Clients that register themselves (RFC 7591, RFC 7592)' },
  { name: 'sessions', description: 'Sessions of users, and what is kept of a user' },
  { name: 'grants', description: 'What clients have for users, and what users allow them' },
  { name: 'oversight', description: 'What administrators see of the whole' },
  { name: 'audit', description: 'What happened, and who did it' },
  { name: 'refusals', description: 'Which requests were refused, and why' },
  { name: 'statistics', description: 'How many sign in, get tokens and are refused' },
  { name: 'pages', description: 'What users see in a browser' },
  { name: 'operations', description: 'Health, metrics, signing keys and configuration' },
];

function describeApi(reference: { publicUrl: string; issuer: string }, version: string) {
  const basic = (description: string) => ({ type: 'http', scheme: 'basic', description }) as const;
  return {
    info: {
      title: 'Gatehouse authorization server',
      description: firstSteps,
      version,
    },
    tags,
    servers: [{ url: reference.publicUrl }],
    components: {
      securitySchemes: {
        signIn: describeSignIn(reference),
        administrator: basic('Username and password of an administrator, or a service-account client'),
        client: basic('client_id and client_secret (RFC 6749 2.3.1)'),
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token (RFC 9068)' },
        initialAccessToken: { type: 'http', scheme: 'bearer', description: 'An initial access token (RFC 7591 1.2)' },
        registrationAccessToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The registration access token of a client (RFC 7592 1.2)',
        },
        boundAccessToken: {
          type: 'http',
          scheme: 'dpop',
          description: 'An access token that is bound to a key, with a proof in the header DPoP (RFC 9449 7.1)',
        },
      } as const,
    },
  };
}
