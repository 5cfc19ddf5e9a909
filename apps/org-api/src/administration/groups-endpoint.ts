import { idPattern } from '@gatehouse/service-kit';
import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit/audit';
import { entityTagOf, readExpectedVersion, VersionHeaders } from '@gatehouse/service-kit/etag';
import {
  createQueryValidator,
  DryRunQuery,
  isDryRun,
  pageLength,
  sendDryRun,
  truthQuery,
} from '@gatehouse/service-kit/http';
import { GroupChanges, mayReadDirectory, NewGroup, ProblemError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { describeDoer } from '../callers/authenticate-administrator-endpoint.ts';
import { rolesOf } from '../callers/authenticate-bearer-endpoint.ts';
import { describeGroup } from '../events/audit.ts';
import type { Group } from '../groups/group.ts';
import type { Member } from '../groups/group-member-store.ts';
import { getUser } from '../users/get-user.ts';
import type { UserStore } from '../users/user-store.ts';
import type { GroupAdministration } from './administer-groups.ts';
import { buildGroupView } from './group-view.ts';
import { describeOperation, NoContent, type UserOperations, UserParams, userPath } from './user-operations-endpoint.ts';

interface Dependencies {
  operations: UserOperations;
  groupAdministration: GroupAdministration;
  users: Pick<UserStore, 'findByUsername'>;
  audit: Pick<AuditTrail, 'write'>;
}

const groupsPath = '/organization/api/organization/group';
const groupPath = `${groupsPath}/:id`;
const membersPath = `${groupPath}/members`;

const GroupParams = Type.Object({
  id: Type.String({ pattern: idPattern, description: 'UUID', examples: ['0192f6a4-0000-7000-8000-000000000000'] }),
});
type GroupParams = Static<typeof GroupParams>;

const cursor = Type.Optional(
  Type.String({
    pattern: idPattern,
    description: '`nextCursor` of the page before',
    expected: 'be the nextCursor of the page before',
  }),
);
const total = truthQuery('`true`: the answer says how many there are');
const GroupsQuery = Type.Object({ total, limit: pageLength, cursor });
type GroupsQuery = Static<typeof GroupsQuery>;
const MembersQuery = Type.Object({ limit: pageLength, cursor });
type MembersQuery = Static<typeof MembersQuery>;

const nextCursor = Type.Optional(Type.String());
const GroupPage = Type.Object({
  groups: Type.Array(Type.Ref('Group')),
  nextCursor,
  total: Type.Optional(Type.Integer()),
  totalIsExact: Type.Optional(Type.Boolean({ description: 'false: there may be more' })),
});
const MemberPage = Type.Object({
  members: Type.Array(Type.Object({ id: Type.String(), username: Type.Optional(Type.String()) })),
  nextCursor,
});
const GroupsOfUser = Type.Object({ groups: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })) });

const mostMembersChanged = 500;
const usernames = Type.Array(Type.String({ maxLength: 255 }), {
  maxItems: mostMembersChanged,
  description: 'Usernames',
  expected: `be an array of at most ${mostMembersChanged} usernames`,
});
const MembersChange = Type.Object(
  { add: Type.Optional(usernames), remove: Type.Optional(usernames) },
  { additionalProperties: false, examples: [{ add: ['ursula@example.com'], remove: [] }] },
);
type MembersChange = Static<typeof MembersChange>;
const MembersChanged = Type.Object({
  added: Type.Integer({ description: 'Users who were not in before' }),
  removed: Type.Integer({ description: 'Users who were' }),
});

/** Groups: SystemAdministrators change them, others with a role read them. */
export function registerGroups(app: FastifyInstance, deps: Dependencies): void {
  registerCreation(app, deps);
  registerReads(app, deps);
  registerChange(app, deps);
  registerDeletion(app, deps);
  registerMembers(app, deps);
  registerGroupsOfUser(app, deps);
}

const ofGroups = { tags: ['groups'] };

function registerCreation(app: FastifyInstance, deps: Dependencies): void {
  const { operations, groupAdministration } = deps;
  const success = { 200: Type.Ref('DryRun'), 201: Type.Ref('Group') };
  const schema = describeOperation('createGroup', 'Create a group', success, [409], {
    ...ofGroups,
    description: 'A name is compared without regard to case, and never changes. A group gives no administrative role.',
    querystring: DryRunQuery,
    body: NewGroup,
  });
  app.post<{ Body: NewGroup }>(groupsPath, { schema, ...operations.byAdministrator }, async (request, reply) => {
    if (isDryRun(request)) {
      return sendDryRun(reply, { after: buildGroupView(await groupAdministration.planCreation(request.body)) });
    }
    const group = await groupAdministration.create(request.body);
    await record(deps, request, group, { type: 'group.created' });
    return reply.code(201).header('location', `${groupsPath}/${group.id}`).send(buildGroupView(group));
  });
}

function registerReads(app: FastifyInstance, { operations, groupAdministration }: Dependencies): void {
  const readers = 'For SystemAdministrator, IdpAdministrator and DirectoryReader.';
  const list = describeOperation('listGroups', 'List groups, a page at a time', { 200: GroupPage }, [], {
    ...ofGroups,
    description: readers,
    querystring: GroupsQuery,
  });
  const onRequest = operations.checkCaller;
  app.get<{ Querystring: GroupsQuery }>(
    groupsPath,
    { schema: list, onRequest, validatorCompiler: createQueryValidator },
    async (request) => {
      checkMayRead(operations, request);
      const { limit, cursor: after, total: wantsTotal } = request.query;
      const found = await groupAdministration.list({ limit, after }, wantsTotal === 'true');
      return {
        groups: found.page.map(buildGroupView),
        ...showNext(found.next),
        ...(found.total === undefined ? {} : { total: found.total.total, totalIsExact: found.total.isExact }),
      };
    },
  );
  const read = describeOperation('getGroup', 'Read a group', { 200: Type.Ref('Group') }, [404], {
    ...ofGroups,
    description: `${readers} The \`ETag\` is the version of the group.`,
    params: GroupParams,
  });
  app.get<{ Params: GroupParams }>(groupPath, { schema: read, onRequest }, async (request, reply) => {
    checkMayRead(operations, request);
    return showVersion(reply, await groupAdministration.get(request.params.id));
  });
}

function registerChange(app: FastifyInstance, deps: Dependencies): void {
  const { operations, groupAdministration } = deps;
  const schema = describeOperation('changeGroup', 'Change a group', { 200: Type.Ref('Group') }, [404, 412], {
    ...ofGroups,
    description: 'What is left out stays as it is; null takes managedBy away. The name never changes.',
    params: GroupParams,
    querystring: DryRunQuery,
    headers: VersionHeaders,
    body: GroupChanges,
  });
  app.patch<{ Body: GroupChanges; Params: GroupParams }>(
    groupPath,
    { schema, ...operations.byAdministrator },
    async (request, reply) => {
      const expected = readExpectedVersion(request.headers['if-match']);
      const { id } = request.params;
      if (isDryRun(request)) {
        const { before, after } = await groupAdministration.planChange(id, request.body, expected);
        return sendDryRun(reply, { before: buildGroupView(before), after: buildGroupView(after) });
      }
      const group = await groupAdministration.change(id, request.body, expected);
      await record(deps, request, group, { type: 'group.changed', details: { fields: Object.keys(request.body) } });
      return showVersion(reply, group);
    },
  );
}

function registerDeletion(app: FastifyInstance, deps: Dependencies): void {
  const { operations, groupAdministration } = deps;
  const success = { 200: Type.Ref('DryRun'), 204: NoContent };
  const schema = describeOperation('deleteGroup', 'Delete a group', success, [404, 412], {
    ...ofGroups,
    description: 'Its members stay users. A client that lets this group alone sign in lets nobody in then.',
    params: GroupParams,
    querystring: DryRunQuery,
    headers: VersionHeaders,
  });
  app.delete<{ Params: GroupParams }>(groupPath, { schema, ...operations.byAdministrator }, async (request, reply) => {
    const expected = readExpectedVersion(request.headers['if-match']);
    const { id } = request.params;
    if (isDryRun(request)) {
      return sendDryRun(reply, { before: buildGroupView(await groupAdministration.planDeletion(id, expected)) });
    }
    await record(deps, request, await groupAdministration.delete(id, expected), { type: 'group.deleted' });
    return reply.code(204).send();
  });
}

function registerMembers(app: FastifyInstance, deps: Dependencies): void {
  const { operations, groupAdministration } = deps;
  const list = describeOperation('listGroupMembers', 'List the members of a group', { 200: MemberPage }, [404], {
    ...ofGroups,
    description: 'For SystemAdministrator, IdpAdministrator and DirectoryReader.',
    params: GroupParams,
    querystring: MembersQuery,
  });
  app.get<{ Params: GroupParams; Querystring: MembersQuery }>(
    membersPath,
    { schema: list, onRequest: operations.checkCaller, validatorCompiler: createQueryValidator },
    async (request) => {
      checkMayRead(operations, request);
      const { limit, cursor: after } = request.query;
      const found = await groupAdministration.listMembers(request.params.id, { limit, after });
      const { visible } = operations.callerOf(request).token;
      const show = ({ id, username }: Member) => (visible?.has('username') === false ? { id } : { id, username });
      return { members: found.page.map(show), ...showNext(found.next) };
    },
  );
  const change = describeOperation(
    'changeGroupMembers',
    'Add users to a group, and remove them',
    { 200: MembersChanged },
    [404, 409],
    {
      ...ofGroups,
      description: 'All of it or nothing. Users who are in already stay so, and those who are not stay out.',
      params: GroupParams,
      body: MembersChange,
    },
  );
  app.post<{ Params: GroupParams; Body: MembersChange }>(
    membersPath,
    { schema: change, ...operations.byAdministrator },
    async (request) => {
      const { add = [], remove = [] } = request.body;
      const changed = await groupAdministration.changeMembers(request.params.id, { add, remove });
      await operations.recordMembers(request, [changed]);
      return { added: changed.added.length, removed: changed.removed.length };
    },
  );
}

function registerGroupsOfUser(app: FastifyInstance, { operations, groupAdministration, users }: Dependencies): void {
  const schema = describeOperation('getUserGroups', 'Read the groups of a user', { 200: GroupsOfUser }, [404], {
    ...ofGroups,
    description: 'For SystemAdministrator, IdpAdministrator and DirectoryReader.',
    params: UserParams,
  });
  app.get<{ Params: Static<typeof UserParams> }>(
    `${userPath}/groups`,
    { schema, onRequest: operations.checkCaller },
    async (request) => {
      checkMayRead(operations, request);
      const { id } = await getUser(users, request.params.username);
      return { groups: await groupAdministration.listOfUser(id) };
    },
  );
}

/** Throws 403 for a caller without a role, and for a third-party client without scope groups. */
function checkMayRead(operations: UserOperations, request: FastifyRequest): void {
  const caller = operations.callerOf(request);
  if (!mayReadDirectory(rolesOf(caller))) {
    throw new ProblemError(403, 'reading groups requires SystemAdministrator, IdpAdministrator or DirectoryReader');
  }
  if (caller.token.visible?.has('groups') === false)
    throw new ProblemError(403, 'reading groups requires scope groups');
}

function record(
  { operations, audit }: Dependencies,
  request: FastifyRequest,
  group: Pick<Group, 'id' | 'name'>,
  ...entries: readonly Pick<AuditEntry, 'type' | 'details'>[]
): Promise<void> {
  const common = { ...describeDoer(operations.callerOf(request), request), subject: describeGroup(group) };
  return audit.write(...entries.map((entry) => ({ ...common, ...entry })));
}

/** Shows a group with its version, which a change may name. */
function showVersion(reply: FastifyReply, group: Group) {
  void reply.header('etag', entityTagOf(group));
  return buildGroupView(group);
}

function showNext(next: string | undefined): { nextCursor?: string } {
  return next === undefined ? {} : { nextCursor: next };
}
