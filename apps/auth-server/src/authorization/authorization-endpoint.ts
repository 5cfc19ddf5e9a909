import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Tell } from '../events/event.ts';
import { getEncodedForm, getFormAsQuery, getQuery } from '../http/form.ts';
import { readByHand } from '../http/oauth-endpoint.ts';
import { describePage } from '../pages/describe-page.ts';
import { withoutCreate } from '../protocol/prompt.ts';
import type { FindSignedIn } from '../sign-in/find-by-cookies.ts';
import type { AuthorizationErrorHandler } from './failure-page.ts';
import type { KeepLongRequest } from './long-request.ts';
import type { NextPage } from './next-page.ts';
import { demandOf } from './next-step.ts';
import type { RequestReader } from './request-reader.ts';

interface Dependencies {
  requestReader: RequestReader;
  keepLongRequest: KeepLongRequest;
  findSignedIn: FindSignedIn;
  nextPage: NextPage;
  authorizationErrorHandler: AuthorizationErrorHandler;
  tell: Tell;
}

const parameter = (description: string, example?: string) =>
  Type.Optional(Type.String({ description, ...(example === undefined ? {} : { examples: [example] }) }));

// For the documentation: the parameters are read by the rules of RFC 6749 3.1, which a schema cannot tell.
const parameters = Type.Object({
  client_id: Type.String({ examples: ['my-app'] }),
  response_type: Type.String({
    description:
      'code; token, id_token, id_token token for clients with implicit; code with these for clients with both',
    examples: ['code'],
  }),
  redirect_uri: parameter(
    'As registered, to the letter; required with scope openid',
    'https://app.example.com/callback',
  ),
  scope: parameter('Space-delimited; all of the client’s where left out', 'openid profile'),
  state: parameter('Comes back as it is', 'af0ifjsldkj'),
  nonce: parameter('Goes into the ID token; required with an id_token in response_type'),
  code_challenge: parameter('RFC 7636; required of public clients', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
  code_challenge_method: parameter('S256', 'S256'),
  response_mode: parameter(
    'query, fragment or form_post; jwt, query.jwt, fragment.jwt or form_post.jwt for a signed answer (JARM)',
  ),
  prompt: parameter('none, login, consent, select_account'),
  max_age: parameter('Seconds since the user signed in'),
  login_hint: parameter('Username to put into the form'),
  ui_locales: parameter('Languages of the pages by preference, as tags separated by spaces'),
  id_token_hint: parameter('ID token of the user who is expected'),
  request: parameter('RFC 9101: a signed request object, which replaces everything else but client_id'),
  request_uri: parameter(
    'Of a pushed request (RFC 9126), or an address of the client (request_uris): replaces everything else but client_id',
  ),
  upstream: parameter('Alias of the upstream where the user signs in; the sign-in page where it names none'),
  resource: parameter('RFC 8707: URI of an API that access tokens are for; may come several times'),
});

const schema = {
  tags: ['oauth'],
  operationId: 'authorize',
  summary: 'Authorization endpoint',
  description: 'RFC 6749 3.1, OpenID Connect Core 3, RFC 9101, RFC 9207.',
  querystring: parameters,
  response: {
    200: describePage('The sign-in page, the consent page, or a form that the browser posts to the redirect_uri'),
    302: Type.Null({ description: 'Back to the redirect_uri, with a code, tokens or an error' }),
    400: describePage(
      'A page: client_id or redirect_uri is not good, or nobody vouches for the host of the error’s address',
    ),
  },
};

const schemaOfPost = {
  tags: ['oauth'],
  operationId: 'authorizeByForm',
  summary: 'Authorization endpoint, by form',
  description: 'OpenID Connect Core 3.1.2.1: the parameters of the GET, as a form.',
  consumes: ['application/x-www-form-urlencoded'],
  body: parameters,
  response: { 303: Type.Null({ description: 'To the same by GET, which answers' }) },
};

/**
 * `GET` and `POST /oauth/authorize`: answers at once for a user who is signed in, else shows the sign-in page.
 */
export function registerAuthorize(app: FastifyInstance, deps: Dependencies): void {
  const { requestReader, keepLongRequest, findSignedIn, nextPage, authorizationErrorHandler, tell } = deps;

  const options = { schema, ...readByHand, errorHandler: authorizationErrorHandler };
  app.get('/oauth/authorize', options, async (request, reply) => {
    const asked = await requestReader.readFresh(request, getQuery(request), requestContextOf(request).address);
    if (asked.prompts.has('create')) {
      const query = new URLSearchParams({ request: withoutCreate(asked.encoded) });
      const { base } = reply.server.pageFrame;
      return reply.header('cache-control', 'no-store').redirect(`${base}/account/register?${query}`, 303);
    }
    const signedIn = await findSignedIn(request, demandOf(asked));
    if (signedIn !== undefined) tell({ type: 'session.answered', clientId: asked.target.client.clientId });
    return nextPage.goOn({ request, reply }, asked, { signedIn, consent: 'open', isFirst: true });
  });

  // OpenID Connect Core 3.1.2.1. The session cookie does not come with a post from another site, but with the redirect after it.
  const optionsOfPost = { ...options, schema: schemaOfPost };
  app.post('/oauth/authorize', optionsOfPost, async (request, reply) => {
    const kept = await keepLongRequest(request, getEncodedForm(request), requestContextOf(request));
    const query = kept ?? getFormAsQuery(request);
    return reply.header('cache-control', 'no-store').redirect(`authorize?${query}`, 303);
  });
}
