import {
  bearerSecurity,
  describeProblems,
  jsonMediaType,
  registerForEveryOrigin,
  rememberLatestText,
} from '@gatehouse/service-kit/http';
import { foldUsername, mayReadDirectory, ProblemError } from '@gatehouse/shared';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type AuthenticateBearer, type Caller, rolesOf } from '../callers/authenticate-bearer-endpoint.ts';
import { buildUserDetails, type User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

interface Dependencies {
  authenticateBearer: AuthenticateBearer;
  users: UserStore;
}

const schema = {
  tags: ['users'],
  operationId: 'getUserDetails',
  summary: 'Get user details',
  description:
    'Your own, or anybody’s with SystemAdministrator, IdpAdministrator or DirectoryReader. Usernames are compared without regard to case. A third-party client sees of each record what its scope opens.',
  security: bearerSecurity,
  params: Type.Object({
    username: Type.String({ description: 'The username, percent-encoded', examples: ['user@example.com'] }),
  }),
  response: {
    200: Type.Ref('UserDetails'),
    ...describeProblems(404),
  },
};

/** `GET /organization/api/organization/user/allDetails/userId/<username>`, for pages of any origin. */
export async function registerUserDetails(
  app: FastifyInstance,
  { authenticateBearer, users }: Dependencies,
): Promise<void> {
  /** A record that requests of one moment share is written once. */
  const writeWholeRecord = rememberLatestText((user: User, reply: FastifyReply) =>
    String(reply.serialize(buildUserDetails(user, undefined))),
  );
  const answer = async (request: FastifyRequest<{ Params: { username: string } }>, reply: FastifyReply) => {
    const caller = await authenticateBearer(request, reply);
    const user = await getReadableUser(caller, request.params.username);
    if (caller.token.visible !== undefined) return buildUserDetails(user, caller.token.visible);
    return reply.type(jsonMediaType).send(writeWholeRecord(user, reply));
  };
  await registerForEveryOrigin(app, (scope) => {
    scope.get('/organization/api/organization/user/allDetails/userId/:username', { schema }, answer);
  });

  async function getReadableUser(caller: Caller, username: string): Promise<User> {
    const { user: reader } = caller;
    if (reader !== undefined && isNameOf(reader, username)) return reader;
    // The answer is the same whether or not that user exists, so it does not tell which users exist.
    if (!mayReadDirectory(rolesOf(caller))) {
      throw new ProblemError(
        403,
        'reading another user’s details requires SystemAdministrator, IdpAdministrator or DirectoryReader',
      );
    }
    const user = await users.findByUsername(username);
    if (user !== undefined) return user;
    const advice = username.includes('@') ? '' : ': a username has an @, such as user@example.com';
    throw new ProblemError(404, `no user has this username${advice}`);
  }
}

function isNameOf(user: User, username: string): boolean {
  return user.username === username || foldUsername(user.username) === foldUsername(username);
}
