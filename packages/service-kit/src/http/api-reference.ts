import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import swagger, { type FastifyStaticSwaggerOptions } from '@fastify/swagger';
import { apiReferenceClientId, apiReferenceRedirectPath, apiReferenceScopes } from '@gatehouse/shared';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { apiReferenceScript } from './api-reference-script.ts';
import { apiReferenceIcon, apiReferenceStyle } from './api-reference-style.ts';

export interface ApiReferenceOptions {
  /** The public base of the service whose page this is. */
  publicUrl: string;
  /** The issuer: "Authorize" signs users in there. */
  issuer: string;
  /** Whether the demo data is there, so that the page knows a client_id. Else it asks for one. */
  demoData: boolean;
  /** Basic credentials of the demo data that the page starts with. They count where the demo data is there. */
  demoCredentials?: { scheme: string; username: string; password: string };
}

/** The files of Swagger UI. They stay in their package when the code that serves them is in a bundle. */
const swaggerUiFiles = join(
  dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')),
  'static',
);

/** RFC 9110 7.6.1: these are about a connection, and an answer has its own. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'date'];

/**
 * The page at `/docs`: Swagger UI, which sends requests and signs users in (RFC 6749 4.1 with PKCE). It is an application
 * of its own that is made at the first request, so that no start waits for it (docs/adr/0055-schemas-are-compiled-late.md).
 */
export function registerApiReference(app: FastifyInstance, title: string, options: ApiReferenceOptions): void {
  let opening: Promise<FastifyInstance> | undefined;
  for (const url of ['/docs', '/docs/', '/docs/*']) app.get(url, { schema: { hide: true }, logLevel: 'warn' }, answer);

  async function answer({ method, url, headers }: FastifyRequest, reply: FastifyReply) {
    opening ??= openReference(app.swagger() as SwaggerDocument, title, options);
    const reference = await opening;
    const answered = await reference.inject({ method: method as 'GET' | 'HEAD', url, headers });
    if (answered.statusCode === 404) return reply.callNotFound();
    const ofContent = Object.entries(answered.headers).filter(([name]) => !ofConnection.includes(name));
    return reply.code(answered.statusCode).headers(Object.fromEntries(ofContent)).send(answered.rawPayload);
  }
}

type SwaggerDocument = Extract<FastifyStaticSwaggerOptions['specification'], { document: unknown }>['document'];

async function openReference(document: SwaggerDocument, title: string, options: ApiReferenceOptions) {
  const { publicUrl, issuer, demoData } = options;
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  const reference = fastify();
  await reference.register(swagger, { mode: 'static', specification: { document } });
  await reference.register(swaggerUi, {
    routePrefix: '/docs',
    // The page names its files by the path that a browser sees.
    indexPrefix: new URL(publicUrl).pathname,
    baseDir: swaggerUiFiles,
    // The theme hides the bar with the logo.
    logo: { type: 'image/svg+xml', content: '' },
    staticCSP: buildPolicy(issuer),
    uiConfig: {
      deepLinking: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelsExpandDepth: 0,
      ...describeStart(options),
    },
    initOAuth: {
      ...(demoData ? { clientId: apiReferenceClientId } : {}),
      scopes: Object.keys(apiReferenceScopes),
      usePkceWithAuthorizationCodeGrant: true,
    },
    transformSpecification: hideUnknownSchemes,
    theme: {
      title,
      css: [{ filename: 'theme.css', content: apiReferenceStyle }],
      js: [{ filename: 'theme.js', content: apiReferenceScript }],
      favicon: [{ filename: 'icon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: apiReferenceIcon }],
    },
  });
  return reference;
}

/**
 * The page loads everything from this server, and sends requests to it and to the issuer, whose token endpoint answers pages
 * of every origin. The hash is of a style element that Swagger UI inserts.
 */
function buildPolicy(issuer: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(issuer).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

interface Specification {
  components?: { securitySchemes?: Record<string, { type: string; scheme?: string }> };
}

/** Swagger UI knows no scheme of HTTP authentication but Basic and Bearer, and shows an error for any other. */
function hideUnknownSchemes(document: Specification): Specification {
  const schemes = document.components?.securitySchemes ?? {};
  for (const [name, { type, scheme = '' }] of Object.entries(schemes)) {
    if (type === 'http' && !['basic', 'bearer'].includes(scheme)) delete schemes[name];
  }
  return document;
}

/** With the demo data, the first request can be sent as it stands: the page has the credentials that README shows. */
function describeStart({ demoData, demoCredentials }: ApiReferenceOptions): { onComplete?: () => void } {
  if (!demoData || demoCredentials === undefined) return {};
  const { scheme, username, password } = demoCredentials;
  const values = [scheme, username, password].map((value) => JSON.stringify(value));
  return { onComplete: writeFunction(`() => ui.preauthorizeBasic(${values.join(', ')})`) };
}

/** A function of the page. The plugin writes a function as its source text, after the constant `ui`. */
function writeFunction(source: string): () => void {
  return Object.assign(() => {}, { toString: () => source });
}

/** OpenAPI: the security scheme of "Authorize", by the authorization code flow. Operations name it `signIn`. */
export function describeSignIn({ issuer, publicUrl }: Pick<ApiReferenceOptions, 'issuer' | 'publicUrl'>) {
  return {
    type: 'oauth2',
    description:
      `Sign in with this browser (RFC 6749 4.1 with PKCE). It takes a public client that has \`authorization_code\` and the redirect URI \`${publicUrl}${apiReferenceRedirectPath}\`. ` +
      'A public client has no client_secret.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${issuer}/oauth/authorize`,
        tokenUrl: `${issuer}/oauth/token`,
        scopes: { ...apiReferenceScopes } as Record<string, string>,
      },
    },
  } as const;
}

/** OpenAPI: an operation takes a bearer token, which signing in at the page gives as well. */
export const bearerSecurity: Record<string, string[]>[] = [{ accessToken: [] }, { signIn: [] }];
