import { AuditEventView } from '@gatehouse/service-kit/audit';
import {
  accessOfConsole,
  ConfigurationView,
  createServer,
  DryRun,
  describeSignIn,
  problemErrorHandler,
  registerHealth,
  registerMetrics,
  registerOpenApi,
} from '@gatehouse/service-kit/http';
import { RefusalView } from '@gatehouse/service-kit/refusals';
import { registerTracing } from '@gatehouse/service-kit/tracing';
import { consolePaths, Identity, ListedUser, ProblemDetails, UserDetails, UserPage } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { GroupView } from './administration/group-view.ts';
import type { Dependencies } from './dependencies.ts';

/** Connections of one network. An auth-server alone holds up to 832: checks of passwords wait in 768 of them. */
const connectionsOfNetwork = 1_024;

/** The organization API, room by room. */
export async function buildApp(deps: Dependencies): Promise<FastifyInstance> {
  const { config, log, metrics, tracing, database, version } = deps;
  const { trustProxy, baseUrl: publicUrl } = config;
  const app = createServer({
    ...{ log, trustProxy, publicUrl },
    console: accessOfConsole(config.consoleUrl, consolePaths.orgApi),
    connections: { ofNetwork: connectionsOfNetwork },
    refusals: deps.refusals,
  });
  registerTracing(app, tracing);
  app.setErrorHandler(problemErrorHandler);
  app.setNotFoundHandler(deps.notFoundHandler);
  const views = [
    UserDetails,
    ListedUser,
    UserPage,
    GroupView,
    Identity,
    ProblemDetails,
    DryRun,
    AuditEventView,
    ConfigurationView,
    RefusalView,
  ];
  for (const schema of views) app.addSchema(schema);

  const reference = { publicUrl: config.baseUrl, issuer: config.authUrl, demoData: config.demoData };
  await registerOpenApi(app, describeApi(reference, version), reference);
  registerMetrics(app, metrics);
  for (const room of deps.rooms) await room.routes(app);
  registerHealth(app, [{ name: 'database', check: () => database.check() }]);
  return app;
}

function describeApi(reference: { publicUrl: string; issuer: string }, version: string) {
  return {
    info: {
      title: 'Gatehouse organization API',
      description:
        'Users of the organization, for callers with a valid access token. **Authorize** signs you in and gets one; then send the first operation as it stands.',
      version,
    },
    tags: [
      { name: 'users', description: 'Read and administer the users of the organization' },
      { name: 'groups', description: 'Read and administer the groups of users' },
      { name: 'metadata', description: 'What this API is, and which tokens it takes' },
      { name: 'audit', description: 'What happened, and who did it' },
      { name: 'refusals', description: 'Which requests were refused, and why' },
      { name: 'operations', description: 'Health, metrics and configuration' },
    ],
    servers: [{ url: reference.publicUrl }],
    components: {
      securitySchemes: {
        signIn: describeSignIn(reference),
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token (RFC 9068)' },
      } as const,
    },
  };
}
