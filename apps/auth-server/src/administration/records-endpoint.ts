import { idPattern } from '@gatehouse/service-kit';
import { entityTagOf, VersionHeaders } from '@gatehouse/service-kit/etag';
import {
  buildPageCursor,
  createQueryValidator,
  DryRunQuery,
  isDryRun,
  pageLength,
  sendDryRun,
} from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type TObject, type TString, Type } from 'typebox';
import type { RecordFact, ResourceAdministered } from '../events/event.ts';
import { showTotal, TotalMembers, totalQuery } from '../http/list-query.ts';
import { describeAdministrator } from './administrator.ts';
import {
  type AdministratorRoutes,
  createAdministratorRoutes,
  type GetAdministrator,
} from './administrator-routes-endpoint.ts';
import { listFieldChanges } from './field-changes.ts';
import type { RecordAdministration } from './record-administration.ts';

type Versioned = { updatedAt: number };
type Act = 'created' | 'changed' | 'deleted';
type Administered = Pick<ResourceAdministered, 'administrator' | 'context' | 'details'>;

/** A kind of record that administrators keep by five routes. `Query`: of the list. */
export interface RecordKind<Stored extends Versioned, New, Changes, Query extends object> {
  /** As texts name one: `an issuer`. */
  one: string;
  /** As paths and lists name them: `issuers`. */
  many: string;
  /** The name of the schema of a view. */
  schema: string;
  creation: { description: string; body: TObject };
  change: { description: string; body: TObject };
  query: TObject;
  /** By what one is named in paths, where it is not its id. */
  key?: { name: string; schema: TString };
  administration: RecordAdministration<Stored, New, Changes, Query>;
  view(record: Stored): Readonly<Record<string, unknown>>;
  /** The details of the event of a creation. */
  describeCreated?(record: Stored): Administered['details'];
  record(act: Act, record: Stored, administered: Administered): ReturnType<RecordFact>;
}

/** The part of a list's query that all kinds have. */
export const recordsQuery = { limit: pageLength, cursor: buildPageCursor(idPattern), total: totalQuery };

const byId = { name: 'id', schema: Type.String({ pattern: idPattern, description: 'UUID' }) };

interface Shared<Stored> {
  routes: AdministratorRoutes;
  /** Of one record. */
  path: string;
  params: TObject;
  keyOf(request: FastifyRequest): string;
  /** Records the event of an act. */
  tell(request: FastifyRequest, act: Act, record: Stored, details?: Administered['details']): ReturnType<RecordFact>;
  /** Shows a record with its version, which a change may name. */
  show(reply: FastifyReply, record: Stored): object;
}

/** Registers the routes of a kind of record: creation, list, read, change and deletion. */
export function registerRecords<Stored extends Versioned, New, Changes, Query extends object>(
  app: FastifyInstance,
  getAdministrator: GetAdministrator,
  kind: RecordKind<Stored, New, Changes, Query>,
): void {
  const routes = createAdministratorRoutes(kind.many, getAdministrator);
  const { key = byId } = kind;
  const shared: Shared<Stored> = {
    routes,
    path: `/${kind.many}/:${key.name}`,
    params: Type.Object({ [key.name]: key.schema }),
    keyOf: ({ params }) => (params as Record<string, string>)[key.name] ?? '',
    tell(request, act, record, details = {}) {
      const { administrator, context } = routes.authorOf(request);
      return kind.record(act, record, { administrator: describeAdministrator(administrator), details, context });
    },
    show(reply, record) {
      void reply.header('etag', entityTagOf(record));
      return kind.view(record);
    },
  };
  registerCreation(app, kind, shared);
  registerList(app, kind, shared);
  registerRead(app, kind, shared);
  registerChange(app, kind, shared);
  registerDeletion(app, kind, shared);
}

function registerCreation<Stored extends Versioned, New, Changes, Query extends object>(
  app: FastifyInstance,
  { one, many, schema, creation, administration, view, describeCreated }: RecordKind<Stored, New, Changes, Query>,
  { routes, tell }: Shared<Stored>,
): void {
  app.post<{ Body: New }>(
    `/${many}`,
    routes.describe(`register${schema}`, `Register ${one}`, { 200: Type.Ref('DryRun'), 201: Type.Ref(schema) }, [409], {
      description: creation.description,
      querystring: DryRunQuery,
      body: creation.body,
    }),
    async (request, reply) => {
      const body = request.body as New;
      if (isDryRun(request)) return sendDryRun(reply, { after: view(await administration.planCreation(body)) });
      const created = await administration.create(body);
      await tell(request, 'created', created, describeCreated?.(created));
      return reply.code(201).send(view(created));
    },
  );
}

function registerList<Stored extends Versioned, New, Changes, Query extends object>(
  app: FastifyInstance,
  { many, schema, query, administration, view }: RecordKind<Stored, New, Changes, Query>,
  { routes }: Shared<Stored>,
): void {
  const page = Type.Object({
    [many]: Type.Array(Type.Ref(schema)),
    next_cursor: Type.Optional(Type.String()),
    ...TotalMembers,
  });
  app.get(
    `/${many}`,
    {
      ...routes.describe(`list${schema}s`, `List ${many}, a page at a time`, { 200: page }, [], { querystring: query }),
      validatorCompiler: createQueryValidator,
    },
    async (request) => {
      const { found, next, total } = await administration.list(request.query as Query);
      return {
        [many]: found.map(view),
        ...(next === undefined ? {} : { next_cursor: next }),
        ...showTotal(total),
      };
    },
  );
}

function registerRead<Stored extends Versioned, New, Changes, Query extends object>(
  app: FastifyInstance,
  { one, schema, administration }: RecordKind<Stored, New, Changes, Query>,
  { routes, path, params, keyOf, show }: Shared<Stored>,
): void {
  app.get(
    path,
    routes.describe(`get${schema}`, `Read ${one}`, { 200: Type.Ref(schema) }, [404], { params }),
    async (request, reply) => show(reply, await administration.get(keyOf(request))),
  );
}

function registerChange<Stored extends Versioned, New, Changes, Query extends object>(
  app: FastifyInstance,
  { one, schema, change, administration, view }: RecordKind<Stored, New, Changes, Query>,
  { routes, path, params, keyOf, tell, show }: Shared<Stored>,
): void {
  app.patch<{ Body: Changes }>(
    path,
    routes.describe(`change${schema}`, `Change ${one}`, { 200: Type.Ref(schema) }, [404, 409, 412], {
      description: change.description,
      params,
      querystring: DryRunQuery,
      headers: VersionHeaders,
      body: change.body,
    }),
    async (request, reply) => {
      const { expected } = routes.changeOf(request);
      const changes = request.body as Changes & object;
      if (isDryRun(request)) {
        const { before, after } = await administration.planChange(keyOf(request), changes, expected);
        return sendDryRun(reply, { before: view(before), after: view(after) });
      }
      const { before, after } = await administration.change(keyOf(request), changes, expected);
      const differing = listFieldChanges(view(before), view(after));
      await tell(request, 'changed', after, { fields: Object.keys(changes), changes: differing });
      return show(reply, after);
    },
  );
}

function registerDeletion<Stored extends Versioned, New, Changes, Query extends object>(
  app: FastifyInstance,
  { one, schema, administration, view }: RecordKind<Stored, New, Changes, Query>,
  { routes, path, params, keyOf, tell }: Shared<Stored>,
): void {
  app.delete(
    path,
    routes.describe(
      `delete${schema}`,
      `Delete ${one}`,
      { 200: Type.Ref('DryRun'), 204: Type.Null({ description: 'Done' }) },
      [404, 409, 412],
      { params, querystring: DryRunQuery, headers: VersionHeaders },
    ),
    async (request, reply) => {
      const { expected } = routes.changeOf(request);
      const key = keyOf(request);
      if (isDryRun(request)) {
        return sendDryRun(reply, { before: view(await administration.planDeletion(key, expected)) });
      }
      await tell(request, 'deleted', await administration.delete(key, expected));
      return reply.code(204).send();
    },
  );
}
