import type { RequestContext } from '@gatehouse/service-kit';
import { createQueryValidator } from '@gatehouse/service-kit/http';
import type { DirectoryUser } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { createAdministratorRoutes, type GetAdministrator } from '../administration/administrator-routes-endpoint.ts';
import { userName } from '../administration/sessions-endpoint.ts';
import type { RecordFact } from '../events/event.ts';
import type { AccountPages } from './account-pages-endpoint.ts';
import type { DescribeData } from './describe-data.ts';

interface Dependencies {
  accountPages: AccountPages;
  describeData: DescribeData;
  record: RecordFact;
}

/** `GET /account/data`: the user downloads all that is kept. */
export function registerData(app: FastifyInstance, { accountPages, describeData, record }: Dependencies): void {
  accountPages.register(app, {
    path: '/account/data',
    isGuarded: true,
    async show({ http, signedIn: { user }, context }) {
      const data = await describeData(user, context);
      await record({ type: 'data.downloaded', user, context });
      return http.reply
        .header('cache-control', 'no-store')
        .header('content-disposition', 'attachment; filename="account-data.json"')
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(data, null, 2));
    },
  });
}

const DataQuery = Type.Object({ user: userName });

interface AdministrationDependencies {
  getSystemAdministrator: GetAdministrator;
  getUser(user: string, context: RequestContext): Promise<DirectoryUser>;
  describeData: DescribeData;
}

/** `GET /user-data?user=`: the same document, for a SystemAdministrator. */
export function registerUserData(app: FastifyInstance, deps: AdministrationDependencies): void {
  const { getSystemAdministrator, getUser, describeData } = deps;
  const routes = createAdministratorRoutes('sessions', getSystemAdministrator);
  app.get<{ Querystring: Static<typeof DataQuery> }>(
    '/user-data',
    {
      ...routes.describe(
        'getUserData',
        'Read all that is kept of a user',
        { 200: Type.Object({}, { additionalProperties: true, description: 'Of both services; no secrets' }) },
        [404],
        { description: 'The document that users download at `/account/data`.', querystring: DataQuery },
      ),
      validatorCompiler: createQueryValidator,
    },
    async (request) => {
      const { context } = routes.authorOf(request);
      return describeData(await getUser(request.query.user, context), context);
    },
  );
}
