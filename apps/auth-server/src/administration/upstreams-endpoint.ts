import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { RecordFact } from '../events/event.ts';
import { aliasPattern, type Upstream } from '../upstreams/upstream.ts';
import type { UpstreamAdministration } from './administer-upstreams.ts';
import { createAdministratorRoutes, type GetAdministrator } from './administrator-routes-endpoint.ts';
import { SecretCheck } from './client-secret-endpoint.ts';
import { recordsQuery, registerRecords } from './records-endpoint.ts';
import { NewUpstream, UpstreamChanges } from './upstream-body.ts';
import { buildUpstreamView } from './upstream-view.ts';

interface Dependencies {
  getSystemAdministrator: GetAdministrator;
  upstreamAdministration: UpstreamAdministration;
  redirectUriOf(upstream: Pick<Upstream, 'alias'>): string;
  record: RecordFact;
}

/** The query of `GET /upstreams`. */
const UpstreamsQuery = Type.Object(recordsQuery);
type UpstreamsQuery = Static<typeof UpstreamsQuery>;

const alias = Type.String({ pattern: aliasPattern, description: 'Its name in addresses' });
const UpstreamParams = Type.Object({ alias });
type UpstreamParams = Static<typeof UpstreamParams>;

/** Administration of the servers by which people sign in, by SystemAdministrators. */
export function registerUpstreamAdministration(app: FastifyInstance, deps: Dependencies): void {
  const { getSystemAdministrator, upstreamAdministration, redirectUriOf, record } = deps;
  registerRecords(app, getSystemAdministrator, {
    one: 'an upstream',
    many: 'upstreams',
    schema: 'Upstream',
    key: { name: 'alias', schema: alias },
    creation: {
      description: 'Another server where people sign in: a button of the sign-in page.',
      body: NewUpstream,
    },
    change: { description: 'What is left out stays as it is.', body: UpstreamChanges },
    query: UpstreamsQuery,
    administration: {
      ...upstreamAdministration,
      list: ({ cursor: after, limit, total }: UpstreamsQuery) =>
        upstreamAdministration.list({ after, limit, total: total === 'true' }),
    },
    view: (upstream: Upstream) => buildUpstreamView(upstream, redirectUriOf(upstream)),
    record: (act, upstream, administered) => record({ type: `upstream.${act}`, upstream, ...administered }),
  });
  registerSecretCheck(app, deps);
}

function registerSecretCheck(app: FastifyInstance, deps: Dependencies): void {
  const { authorOf, describe } = createAdministratorRoutes('upstreams', deps.getSystemAdministrator);
  app.post<{ Params: UpstreamParams; Body: SecretCheck }>(
    '/upstreams/:alias/secret-checks',
    describe('checkUpstreamSecret', 'Check a secret', { 200: Type.Object({ matches: Type.Boolean() }) }, [404], {
      description: 'Whether it is the one that is kept. Wrong ones count against the caller.',
      params: UpstreamParams,
      body: SecretCheck,
    }),
    async (request) => {
      const { params, body } = request;
      return { matches: await deps.upstreamAdministration.checkSecret(params.alias, body.secret, authorOf(request)) };
    },
  );
}
