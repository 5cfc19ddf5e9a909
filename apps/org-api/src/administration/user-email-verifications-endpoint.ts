import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { SendVerification } from '../links/send-verification.ts';
import { describeOperation, type UserOperations, UserParams, userPath } from './user-operations-endpoint.ts';

interface Dependencies {
  operations: UserOperations;
  sendVerification: SendVerification;
}

/** `POST …/email-verifications`, for a SystemAdministrator. */
export function registerUserEmailVerifications(
  app: FastifyInstance,
  { operations, sendVerification }: Dependencies,
): void {
  app.post<{ Params: Static<typeof UserParams> }>(
    `${userPath}/email-verifications`,
    {
      schema: describeOperation(
        'sendEmailVerification',
        'Mail a link by which a user confirms the e-mail address',
        { 202: Type.Null({ description: 'The mail is on its way' }) },
        [400, 404, 409],
        { description: '409 where the address is verified, or this server sends no mail.', params: UserParams },
      ),
      ...operations.byAdministrator,
    },
    async (request, reply) => {
      await sendVerification(request.params.username);
      return reply.code(202).send();
    },
  );
}
