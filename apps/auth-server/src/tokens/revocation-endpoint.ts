import { type AuditEntry, type AuditTrail, originOf } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AuthenticateClient } from '../clients/authenticate-client.ts';
import type { Client } from '../clients/client.ts';
import { getClientCredentials } from '../clients/read-client-credentials.ts';
import { type DescribeUserById, describeClient } from '../events/parties.ts';
import { getForm } from '../http/oauth-endpoint.ts';
import { describeForm, readByHand } from '../http/oauth-schemas.ts';
import type { Origin } from '../protocol/request-context.ts';
import { getParameter } from '../protocol/request-parameters.ts';
import type { RevokedToken, RevokeToken } from './revoke-token.ts';

interface Dependencies {
  authenticateClient: AuthenticateClient;
  revokeToken: RevokeToken;
  describeUserById: DescribeUserById;
  audit: AuditTrail;
}

const schema = describeForm({
  summary: 'End a token',
  description: 'RFC 7009. A refresh token ends together with everything issued from its grant.',
  form: { token: Type.String(), token_type_hint: Type.Optional(Type.String()) },
  success: Type.Null({ description: 'The token is not in force any more' }),
});

/** `POST /oauth/revoke` (RFC 7009). */
export function registerRevocation(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateClient, revokeToken, describeUserById, audit } = deps;
  app.post('/oauth/revoke', { schema, ...readByHand }, async (request, reply) => {
    const parameters = getForm(request);
    const origin = originOf(request);
    const client = await authenticateClient(getClientCredentials(request, parameters), origin);
    const revoked = await revokeToken(getParameter(parameters, 'token'), client);
    if (revoked !== undefined) noteRevocation(revoked, client, origin);
    // An empty body; its type is for clients that look for one in every answer.
    return reply.code(200).header('cache-control', 'no-store').type('application/json').send();
  });

  function noteRevocation({ kind, grantId, userId }: RevokedToken, client: Client, origin: Origin): void {
    const common: AuditEntry = {
      type: 'token.revoked',
      actor: describeClient(client),
      clientId: client.clientId,
      details: { token: kind, ...(grantId === undefined ? {} : { grant: grantId }) },
      origin,
    };
    if (userId === undefined) {
      audit.note({ ...common, subject: describeClient(client) });
    } else {
      const known: AuditEntry = { ...common, subject: { kind: 'user', id: userId } };
      audit.note(known, async () => ({ ...common, subject: await describeUserById(userId, origin) }));
    }
  }
}
