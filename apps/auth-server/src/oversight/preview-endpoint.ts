import { levels } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { SessionAdministration } from '../administration/administer-sessions.ts';
import { createAdministratorRoutes, type GetAdministrator } from '../administration/administrator-routes-endpoint.ts';
import type { ManageableClients } from '../administration/client-ceiling.ts';
import { ClientParams } from '../administration/client-operations-endpoint.ts';
import { userName } from '../administration/sessions-endpoint.ts';
import { checkMaySee, checkSeesUsers } from './check-may-see.ts';
import { checkMembers, previewedGrantTypes } from './preview-request.ts';
import type { Preview, PreviewTokens } from './preview-tokens.ts';

interface Dependencies {
  getAdministrator: GetAdministrator;
  manageableClients: Pick<ManageableClients, 'getInReach'>;
  getUser: SessionAdministration['getUser'];
  previewTokens: PreviewTokens;
}

const PreviewBody = Type.Object(
  {
    grant_type: Type.Enum([...previewedGrantTypes], { expected: `be one of ${previewedGrantTypes.join(', ')}` }),
    username: Type.Optional({ ...userName, description: 'Of the user, or the id' }),
    scope: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8192,
        description: 'Space-delimited; all that the client may request where left out',
        expected: 'be a text of 1 to 8192 characters',
      }),
    ),
    resource: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,2048}$',
        description: 'RFC 8707: the URI of the API that the access token is for',
        expected: 'be one URI of at most 2048 characters',
      }),
    ),
    acr: Type.Optional(
      Type.Enum([...levels], {
        description: 'Level of the sign-in; the lowest that lets the user through where left out',
        expected: `be one of ${levels.join(', ')}`,
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ grant_type: 'authorization_code', username: 'user@example.com', scope: 'openid profile' }],
  },
);

const Names = Type.Array(Type.String());
const Claims = Type.Object({}, { additionalProperties: true });
const Token = Type.Object({ header: Claims, claims: Claims });
const PreviewView = Type.Object({
  issued: Type.Boolean(),
  access_token: Type.Optional(Token),
  id_token: Type.Optional(Token),
  userinfo: Type.Optional(Claims),
  consent: Type.Optional(
    Type.Object(
      { asked: Names, given: Names },
      { description: 'Scopes, claims and APIs: what a page would ask the user for, and what the user gave before' },
    ),
  ),
  error: Type.Optional(Type.String({ description: 'RFC 6749 5.2' })),
  error_description: Type.Optional(Type.String({ description: 'For the client' })),
  reason: Type.Optional(Type.String({ description: 'For administrators: why, and where to change it' })),
});

/** `POST /clients/:client_id/preview`: the tokens that a client would get. */
export function registerPreview(app: FastifyInstance, deps: Dependencies): void {
  const { getAdministrator, manageableClients, getUser, previewTokens } = deps;
  const { describe, authorOf } = createAdministratorRoutes('clients', getAdministrator);

  app.post<{ Params: ClientParams; Body: Static<typeof PreviewBody> }>(
    '/clients/:client_id/preview',
    describe('previewTokens', 'Preview the tokens of a client', { 200: PreviewView }, [404], {
      description:
        'What the access token, the ID token and userinfo would say, or why nothing would be issued. Nothing is signed, stored or counted. `jti`, `status`, `grant_id`, `sid` and times are absent.',
      params: ClientParams,
      body: PreviewBody,
    }),
    async (request) => {
      const { administrator, context } = authorOf(request);
      const { grant_type: grantType, username, scope, resource, acr } = request.body;
      const client = await manageableClients.getInReach({ administrator, context }, request.params.client_id);
      const asked = { client, grantType, username, scope, resource, acr, context };
      checkMembers(asked);
      if (client.serviceAccount !== undefined) checkSeesUsers(administrator);
      const user = username === undefined ? undefined : await getUser(username, context);
      if (user !== undefined) checkMaySee(administrator, user);
      return showPreview(await previewTokens(asked, user));
    },
  );
}

function showPreview(preview: Preview) {
  if (!preview.isIssued) {
    const { error, reason } = preview;
    return { issued: false, error: error.code, error_description: error.message, reason };
  }
  const { accessToken: access_token, idToken: id_token, userinfo, consent } = preview;
  return { issued: true, access_token, id_token, userinfo, consent };
}
