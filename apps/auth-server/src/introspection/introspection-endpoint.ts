import { createJsonWriter, jsonMediaType, requestContextOf } from '@gatehouse/service-kit/http';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ClientAuthentication } from '../clients/authenticate-client.ts';
import { isPublic } from '../clients/client-demands.ts';
import { getClientCredentials } from '../clients/read-client-credentials.ts';
import { getForm } from '../http/form.ts';
import { describeForm, readByHand } from '../http/oauth-endpoint.ts';
import { getParameter } from '../protocol/request-parameters.ts';
import type { IntrospectionResponse, IntrospectToken, SignIntrospection } from './introspect-token.ts';

interface Dependencies extends ClientAuthentication {
  introspectToken: IntrospectToken;
  signIntrospection: SignIntrospection;
}

/** RFC 9701 4: asks for the answer as a signed JWT. */
const jwtMediaType = 'application/token-introspection+jwt';

const schema = describeForm({
  operationId: 'introspectToken',
  summary: 'Ask whether a token is in force',
  description: 'RFC 7662, for confidential clients.',
  form: { token: Type.String(), token_type_hint: Type.Optional(Type.String()) },
  success: Type.Object({ active: Type.Boolean() }, { additionalProperties: true }),
});

/** `POST /oauth/introspect` (RFC 7662). */
export function registerIntrospection(app: FastifyInstance, deps: Dependencies): void {
  const { authenticateClient, introspectToken, signIntrospection } = deps;
  const writeResponse = createJsonWriter((response: IntrospectionResponse) => response);
  app.post('/oauth/introspect', { schema, ...readByHand }, async (request, reply) => {
    const parameters = getForm(request);
    const context = requestContextOf(request);
    const client = await authenticateClient(getClientCredentials(request, parameters), context);
    // RFC 7662 2.1: only authorized clients may ask, or a caller could try out texts until one is a token.
    if (isPublic(client)) {
      throw new OAuthError(
        'invalid_client',
        'a public client may not introspect tokens; authenticate as a client with a secret or a key',
      );
    }
    // A stranger who publishes a key would get tokens read that are not its own.
    if (client.document !== undefined) {
      throw new OAuthError('invalid_client', 'a client of a metadata document may not introspect tokens');
    }
    void reply.header('cache-control', 'no-store');
    const response = await introspectToken(getParameter(parameters, 'token'), client, context);
    if (!request.headers.accept?.includes(jwtMediaType)) return reply.type(jsonMediaType).send(writeResponse(response));
    return reply.type(jwtMediaType).send(signIntrospection(response, client));
  });
}
