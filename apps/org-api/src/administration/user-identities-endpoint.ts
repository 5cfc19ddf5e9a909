import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { describeIdentity } from '../events/audit.ts';
import { buildIdentityView } from '../identities/identity-view.ts';
import type { MethodAdministration } from '../methods/administer-methods.ts';
import { describeOperation, NoContent, type UserOperations, UserParams, userPath } from './user-operations-endpoint.ts';

interface Dependencies {
  operations: UserOperations;
  methodAdministration: Pick<MethodAdministration, 'listIdentities' | 'removeIdentity'>;
}

const IdentityParams = Type.Object({
  ...UserParams.properties,
  id: Type.String({
    description: 'Of an identity, as `GET …/identities` lists it',
    examples: ['0192f6a4-0000-7000-8000-000000000000'],
  }),
});

const IdentitiesOfUser = Type.Object({ identities: Type.Array(Type.Ref('Identity')) });

const failures = [400, 404];

/** `GET …/identities` and `DELETE …/identities/{id}`, for a SystemAdministrator. */
export function registerUserIdentities(app: FastifyInstance, { operations, methodAdministration }: Dependencies): void {
  const list = describeOperation(
    'getUserIdentities',
    'Read the identities of a user',
    { 200: IdentitiesOfUser },
    failures,
    { description: 'The accounts at upstreams by which the user signs in.', params: UserParams },
  );
  app.get<{ Params: Static<typeof UserParams> }>(
    `${userPath}/identities`,
    { schema: list, ...operations.byAdministrator },
    async (request, reply) => {
      void reply.header('cache-control', 'no-store');
      const identities = await methodAdministration.listIdentities(request.params.username);
      return { identities: identities.map(buildIdentityView) };
    },
  );
  const remove = describeOperation(
    'removeUserIdentity',
    'Unlink an identity of a user',
    { 204: NoContent },
    [...failures, 409],
    {
      description: 'The account signs nobody in any more. Sessions that began by it end.',
      params: IdentityParams,
    },
  );
  app.delete<{ Params: Static<typeof IdentityParams> }>(
    `${userPath}/identities/:id`,
    { schema: remove, ...operations.byAdministrator },
    async (request, reply) => {
      const { username, id } = request.params;
      const { user, identity } = await methodAdministration.removeIdentity(username, id);
      await operations.record(request, user, { type: 'identity.unlinked', details: describeIdentity(identity) });
      return reply.code(204).send();
    },
  );
}
