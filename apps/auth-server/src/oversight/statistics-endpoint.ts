import { instantQuery, parseInstant } from '@gatehouse/service-kit/audit';
import { createQueryValidator } from '@gatehouse/service-kit/http';
import { fieldsProblem, namedClientPattern } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { createAdministratorRoutes, type GetAdministrator } from '../administration/administrator-routes-endpoint.ts';
import { measures, type PartKind, partKinds, type Step, steps } from '../usage/usage-count.ts';
import { partings, type ReadStatistics } from './read-statistics.ts';

interface Dependencies {
  getAdministrator: GetAdministrator;
  readStatistics: ReadStatistics;
}

const oneOf = <const Name extends string>(names: readonly Name[], description: string) =>
  Type.Enum([...names] as [Name, ...Name[]], { description, expected: `be one of ${names.join(', ')}` });
const stepNames = Object.keys(steps) as Step[];

const StatisticsQuery = Type.Object({
  measure: oneOf(measures, 'The acts that are counted'),
  step: oneOf(stepNames, 'Days are those of UTC'),
  from: instantQuery('The step that it is in is the first (ISO 8601); 24 hours or 30 days before `to` where left out'),
  to: instantQuery('The step that it is in is the last; now where left out'),
  client: Type.Optional(
    Type.String({ pattern: namedClientPattern, description: 'Of this client_id alone', expected: 'be a client_id' }),
  ),
  upstream: Type.Optional(
    Type.String({ minLength: 1, maxLength: 32, description: 'Of sign_ins: by this alias', expected: 'be an alias' }),
  ),
  resource: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2048, description: 'Of tokens: for this URI', expected: 'be a URI' }),
  ),
  issuer: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 512 },
      description: 'Of tokens: their client proved itself by a token of this issuer',
      expected: 'be a URL',
    }),
  ),
  by: Type.Optional(
    oneOf(
      partings,
      'A series for each: outcome and grant_type of tokens, outcome of sign_ins, reason of refusals, client',
    ),
  ),
});

const values = (description: string) => Type.Array(Type.Integer(), { description });
const Statistics = Type.Object({
  step: Type.Enum(stepNames as [Step, ...Step[]]),
  from: Type.String({ description: 'The beginning of the first step. RFC 3339, UTC' }),
  to: Type.String({ description: 'The end of the last' }),
  series: Type.Array(
    Type.Object({
      key: Type.String({ description: '`total` where there is no `by`' }),
      values: values('One for each step'),
    }),
  ),
  others: Type.Optional(values('With `by=client`: of the clients that have no series, and of no client')),
  complete_until: Type.String({ description: 'Acts after it may be missing' }),
});

/** `GET /statistics`: administrators read how many signed in, got tokens and were refused. */
export function registerStatistics(app: FastifyInstance, { getAdministrator, readStatistics }: Dependencies): void {
  const routes = createAdministratorRoutes('statistics', getAdministrator);
  app.get<{ Querystring: Static<typeof StatisticsQuery> }>(
    '/statistics',
    {
      ...routes.describe('getStatistics', 'Count sign-ins, tokens and refusals', { 200: Statistics }, [], {
        description: 'By hour, kept for 35 days, or by day, kept for 400; at most 744 steps.',
        querystring: StatisticsQuery,
      }),
      validatorCompiler: createQueryValidator,
    },
    async ({ query: { measure, step, client, by, ...query } }) => {
      const [from, to] = [parseInstant(query.from), parseInstant(query.to)];
      const found = await readStatistics({ measure, step, from, to, clientId: client, part: findPart(query), by });
      const { series, others } = found;
      const [first, end, completeUntil] = [found.from, found.to, found.completeUntil].map((instant) =>
        new Date(instant).toISOString(),
      );
      return { step, from: first, to: end, series, ...(others && { others }), complete_until: completeUntil };
    },
  );
}

function findPart(query: { [Kind in PartKind]?: string }): { kind: PartKind; name: string } | undefined {
  const [first, second] = partKinds.flatMap((kind) => {
    const name = query[kind];
    return name === undefined ? [] : [{ kind, name }];
  });
  if (second === undefined) return first;
  throw fieldsProblem([{ field: second.kind, detail: `must not stand with ${first?.kind}` }]);
}
