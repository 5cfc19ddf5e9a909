import type { ServiceName } from '@gatehouse/test-kit';

/** The requests that a service takes. Path parameters are `{}`. */
export interface Operation {
  service: ServiceName;
  method: string;
  path: string;
  /** Names in the query. */
  query: readonly string[];
  /** Names in the body; empty where it takes none. */
  fields: readonly string[];
  body: 'json' | 'form' | undefined;
}

const documentationPaths = [
  ...['/docs', '/docs/', '/docs/{}', '/docs/json', '/docs/yaml', '/docs/static/{}', '/docs/static/index.html'],
  ...['/docs/static/theme/theme.css', '/docs/static/theme/theme.js', '/docs/static/theme/icon.svg'],
  '/docs/static/swagger-initializer.js',
];

/** Fields of each form of a sign-in. */
const signIn = ['form_token', 'request', 'credential', 'decision'];

/** The paths outside of `/openapi.json`: pages of the browser, requests between the services, the documentation. */
const hiddenOperations: readonly Operation[] = [
  ...['/oauth/', '/oauth/device-', '/oauth/consents-', '/account/'].flatMap((place) => [
    ...hidden('auth-server', 'POST', `${place}sign-in`, [...signIn, 'username', 'password', 'upstream', 'here']),
    ...hidden('auth-server', 'POST', `${place}second-step`, [...signIn, 'pending', 'code', 'remember_browser']),
    ...hidden('auth-server', 'POST', `${place}set-up`, [...signIn, 'secret', 'code', 'kept', 'offered']),
    ...hidden('auth-server', 'GET', `${place}sign-in`),
    ...hidden('auth-server', 'GET', `${place}second-step`),
    ...hidden('auth-server', 'GET', `${place}set-up`),
    ...hidden('auth-server', 'POST', `${place}upstream-link`, [...signIn, 'attempt']),
    ...hidden('auth-server', 'GET', `${place}upstream-link`),
    ...hidden('auth-server', 'GET', `${place}upstream-result`, ['attempt']),
  ]),
  ...[
    '',
    '/methods',
    '/passkeys',
    '/code-app',
    '/recovery-codes',
    '/password',
    '/email',
    '/data',
    '/delete',
    '/sessions',
    '/applications',
  ].flatMap((page) => hidden('auth-server', 'GET', `/account${page}`)),
  ...hidden('auth-server', 'GET', '/oauth/upstreams/{}/callback', ['state', 'code', 'iss', 'error']),
  ...hidden('auth-server', 'GET', '/oauth/upstreams/{}/signed-out', ['state']),
  ...hidden('auth-server', 'GET', '/account/activity', ['cursor']),
  ...hidden('auth-server', 'POST', '/account/email/verify', ['form_token']),
  ...hidden('auth-server', 'POST', '/account/delete', ['form_token', 'username']),
  ...hidden('auth-server', 'GET', '/account/register'),
  ...hidden('auth-server', 'POST', '/account/register', ['form_token', 'email', 'request']),
  ...hidden('auth-server', 'GET', '/account/recover'),
  ...hidden('auth-server', 'POST', '/account/recover', ['form_token', 'username', 'request']),
  ...hidden('auth-server', 'GET', '/account/link', ['token']),
  ...hidden('auth-server', 'POST', '/account/link', [
    'form_token',
    'token',
    'password',
    'code',
    'credential',
    'decision',
    'username',
    'firstName',
    'lastName',
  ]),
  ...hidden('auth-server', 'POST', '/account', [
    ...['form_token', 'firstName', 'middleName', 'lastName', 'nickname', 'profile', 'picture', 'website', 'gender'],
    ...['birthdate', 'locale', 'timezone', 'phoneNumber', 'address.country', 'address.formatted'],
  ]),
  ...hidden('auth-server', 'POST', '/account/passkeys', ['form_token', 'credential', 'name']),
  ...hidden('auth-server', 'POST', '/account/passkeys/rename', ['form_token', 'id', 'name']),
  ...hidden('auth-server', 'POST', '/account/passkeys/remove', ['form_token', 'id']),
  ...hidden('auth-server', 'POST', '/account/identities/remove', ['form_token', 'id']),
  ...hidden('auth-server', 'POST', '/account/code-app', ['form_token', 'secret', 'secret_token', 'code']),
  ...hidden('auth-server', 'POST', '/account/code-app/remove', ['form_token']),
  ...hidden('auth-server', 'POST', '/account/recovery-codes', ['form_token']),
  ...hidden('auth-server', 'POST', '/account/email', ['form_token', 'email']),
  ...hidden('auth-server', 'POST', '/account/email/cancel', ['form_token']),
  ...hidden('auth-server', 'POST', '/account/password', ['form_token', 'old_password', 'password']),
  ...hidden('auth-server', 'POST', '/account/password/remove', ['form_token']),
  ...hidden('auth-server', 'POST', '/account/sessions/end', ['form_token', 'sid', 'all']),
  ...hidden('auth-server', 'POST', '/account/sessions/forget', ['form_token', 'id']),
  ...hidden('auth-server', 'POST', '/account/applications', ['form_token', 'registration']),
  ...hidden('auth-server', 'GET', '/.well-known/change-password'),
  ...hidden('auth-server', 'GET', '/.well-known/passkey-endpoints'),
  ...hidden('auth-server', 'OPTIONS', '/.well-known/passkey-endpoints'),
  ...hidden('auth-server', 'POST', '/oauth/consent', ['form_token', 'request', 'decision']),
  ...hidden('auth-server', 'GET', '/oauth/consent'),
  ...hidden('auth-server', 'GET', '/assets/clients/{}/logo.png'),
  // The icon of a realm without one of its own; the name has the digest of the file.
  ...hidden('auth-server', 'GET', '/assets/icon-9808ac3965440df2.svg'),
  ...['/console', '/console/{}'].flatMap((path) => hidden('auth-server', 'GET', path)),
  ...hidden('auth-server', 'GET', '/clients/'),
  ...hidden('auth-server', 'POST', '/clients/', ['client_id', 'scope'], 'json'),
  ...hidden('auth-server', 'GET', '/internal/local-refusals'),
  ...[
    ...['password-checks', 'code-checks', 'passkey-checks', 'user-queries', 'settings', 'method-queries'],
    ...['method-changes', 'account-data', 'profile-changes', 'link-requests', 'link-uses', 'findings'],
    'upstream-sign-ins',
  ].flatMap((question) => hidden('org-api', 'POST', `/internal/directory/${question}`, [], 'json')),
  ...(['auth-server', 'org-api'] as const).flatMap((service) => [
    ...hidden(service, 'GET', '/openapi.json'),
    ...documentationPaths.flatMap((path) => hidden(service, 'GET', path)),
    ...hidden(service, 'GET', '/{}'),
  ]),
];

function hidden(
  service: ServiceName,
  method: string,
  path: string,
  fields: readonly string[] = [],
  body: Operation['body'] = fields.length === 0 || method === 'GET' ? undefined : 'form',
): Operation[] {
  return [{ service, method, path, query: [], fields, body }];
}

/** As much of an OpenAPI document as is read here. */
interface OpenApiDocument {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components?: { schemas?: Record<string, OpenApiSchema> };
}
interface OpenApiOperation {
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, { schema: OpenApiSchema }> };
}
interface OpenApiSchema {
  $ref?: string;
  properties?: Record<string, unknown>;
}

/** The operations that a document describes, with the names of their parameters and fields. */
function readOperations(service: ServiceName, document: unknown): Operation[] {
  const { paths, components } = document as OpenApiDocument;
  const resolve = (schema: OpenApiSchema) => components?.schemas?.[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]): Operation => {
      const [mediaType, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      const takesForm = content === undefined && method === 'post' && path.startsWith('/oauth/');
      const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
      return {
        service,
        method: method.toUpperCase(),
        path: path.replace(/\{[^}]*\}/g, '{}'),
        query,
        fields: content === undefined ? [] : Object.keys(resolve(content.schema).properties ?? {}),
        body: mediaType?.endsWith('json') ? 'json' : mediaType !== undefined || takesForm ? 'form' : undefined,
      };
    }),
  );
}

/** The paths that pages of other origins may call. */
const preflighted = /^\/oauth\/(?!authorize|consents|logout)|^\/\.well-known\/|\/allDetails\//;

/** Everything that a service answers: what its document describes, and what it does not. */
export function listOperationsOf(service: ServiceName, document: unknown): Operation[] {
  const hiddenHere = hiddenOperations.filter((operation) => operation.service === service);
  const described = readOperations(service, document);
  const paths = new Set(described.map(({ path }) => path).filter((path) => preflighted.test(path)));
  const preflights = [...paths].flatMap((path) => hidden(service, 'OPTIONS', path));
  return [...described, ...hiddenHere, ...preflights];
}

/** Everything that both services answer. */
export async function listOperations(urls: Record<ServiceName, string>): Promise<Operation[]> {
  const names: readonly ServiceName[] = ['auth-server', 'org-api'];
  const lists = names.map(async (service) => {
    const answer = await fetch(`${urls[service]}/openapi.json`);
    return listOperationsOf(service, await answer.json());
  });
  return (await Promise.all(lists)).flat();
}
