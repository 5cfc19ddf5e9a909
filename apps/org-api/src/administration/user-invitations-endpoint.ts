import { Delivery } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Invitations } from '../links/invitations.ts';
import { describeOperation, NoContent, type UserOperations, UserParams, userPath } from './user-operations-endpoint.ts';

interface Dependencies {
  operations: UserOperations;
  invitations: Invitations;
}

type Params = Static<typeof UserParams>;

export const Invitation = Type.Object({
  expiresAt: Type.String({ description: 'RFC 3339, UTC' }),
  link: Type.Optional(Type.String({ description: 'Where no mail was sent: give it to the user by a safe way' })),
});

const InvitationBody = Type.Object(
  {
    deliver: Type.Optional(Delivery),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: 300,
        maximum: 2_592_000,
        description: 'Seconds; seven days where it is left out',
        expected: 'be an integer from 300 to 2592000',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ deliver: 'link' }] },
);

/** `POST` and `DELETE …/invitations`, for a SystemAdministrator. */
export function registerUserInvitations(app: FastifyInstance, { operations, invitations }: Dependencies): void {
  app.post<{ Params: Params; Body: Static<typeof InvitationBody> }>(
    `${userPath}/invitations`,
    {
      schema: describeOperation('inviteUser', 'Invite a user', { 201: Invitation }, [400, 404, 409], {
        description: 'For a user without a way to sign in. The link replaces open ones.',
        params: UserParams,
        body: InvitationBody,
      }),
      ...operations.byAdministrator,
    },
    async (request, reply) => {
      const { user, invitation } = await invitations.inviteAgain(request.params.username, request.body);
      await operations.record(request, user, { type: 'user.invited' });
      return reply.code(201).header('cache-control', 'no-store').send(invitation);
    },
  );
  app.delete<{ Params: Params }>(
    `${userPath}/invitations`,
    {
      schema: describeOperation(
        'withdrawUserInvitation',
        'Withdraw the invitation of a user',
        { 204: NoContent },
        [404],
        { params: UserParams },
      ),
      ...operations.byAdministrator,
    },
    async (request, reply) => {
      const { user, withdrawn } = await invitations.withdraw(request.params.username);
      if (withdrawn) await operations.record(request, user, { type: 'invitation.withdrawn' });
      return reply.code(204).send();
    },
  );
}
