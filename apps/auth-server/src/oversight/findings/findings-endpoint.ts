import { createQueryValidator } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  createAdministratorRoutes,
  type GetAdministrator,
} from '../../administration/administrator-routes-endpoint.ts';
import { type Finding, findingKinds, weightOfKind, weights } from './finding.ts';
import type { ListFindings } from './list-findings.ts';

const FindingView = Type.Object({
  kind: Type.Enum(findingKinds),
  weight: Type.Enum([...weights], { description: '`act`: mend it now, `look`: decide, `know`: good to know' }),
  subject: Type.Optional(Type.String({ description: 'A client_id, a username or a kid, where it is one' })),
  count: Type.Integer({ description: 'Counted to 1,000' }),
  count_is_exact: Type.Boolean({ description: 'false: there may be more' }),
  text: Type.String({ description: 'One sentence' }),
  path: Type.String({ description: 'Where one looks or acts, below `CONSOLE_URL`' }),
});
const Findings = Type.Object({ findings: Type.Array(FindingView) });

interface Dependencies {
  getAdministrator: GetAdministrator;
  listFindings: ListFindings;
}

/** `GET /findings`, for both administrators. */
export function registerFindings(app: FastifyInstance, { getAdministrator, listFindings }: Dependencies): void {
  const routes = createAdministratorRoutes('oversight', getAdministrator);
  app.get(
    '/findings',
    {
      ...routes.describe('listFindings', 'List what to mend, to decide and to know', { 200: Findings }, [], {
        description: 'The weightiest first. What is not there is not listed.',
        querystring: Type.Object({}),
      }),
      validatorCompiler: createQueryValidator,
    },
    async (request) => {
      const findings = await listFindings(routes.authorOf(request).context);
      return { findings: findings.map(showFinding) };
    },
  );
}

function showFinding({ kind, subject, count, isExact, text, path }: Finding): Static<typeof FindingView> {
  return {
    ...{ kind, weight: weightOfKind[kind] },
    ...(subject === undefined ? {} : { subject }),
    ...{ count, count_is_exact: isExact, text, path },
  };
}
