import type { IncomingMessage, ServerResponse } from 'node:http';
import { metadataHeaders, metadataPreflightHeaders } from './metadata/protected-resource.ts';
import type { AccessToken } from './request/access-token.ts';
import type { RouteNeeds } from './request/check-request.ts';
import { TokenError } from './request/token-error.ts';
import { type VerifierOptions, verifier } from './verifier.ts';

declare global {
  namespace Express {
    interface Request {
      /** The verified token; undefined in a route that requires none. */
      accessToken?: AccessToken;
    }
  }
}

/** A request of Express, or of anything that calls middleware as Express does. */
export type MiddlewareRequest = IncomingMessage & { originalUrl?: string; id?: unknown; accessToken?: AccessToken };
export type Middleware = (
  request: MiddlewareRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Middleware that publishes the metadata of RFC 9728, and the middleware for routes. */
export interface ResourceServer extends Middleware {
  /** Refuses requests without a good token. */
  requireToken: Middleware;
  /** Refuses requests without a good token of all these scopes. */
  requireScope(...scope: string[]): Middleware;
  /** Also demands groups of the user, and how, and how recently, the user signed in (RFC 9470). */
  requireAuthentication(needs: RouteNeeds): Middleware;
  /** Ends requests to the issuer. */
  close(): void;
}

/** Express middleware: `app.use(api)`, then `api.requireToken`, `api.requireScope(…)` or `api.requireAuthentication(…)` at routes, and `request.accessToken`. */
export function resourceServer(options: VerifierOptions): ResourceServer {
  const { verify, metadata, close } = verifier(options);
  const requireAuthentication = (needs: RouteNeeds): Middleware => {
    return (request, response, next) => {
      const { method = '', url = '', originalUrl = url, headers } = request;
      const setHeader = (name: string, value: string) => void response.setHeader(name, value);
      verify({ method, url: originalUrl, headers }, { ...needs, setHeader, requestId: findRequestId(request) }).then(
        (accessToken) => {
          request.accessToken = accessToken;
          next();
        },
        (error: unknown) => (error instanceof TokenError ? refuse(response, error) : next(error)),
      );
    };
  };
  const publishMetadata: Middleware = (request, response, next) => {
    const { method, url } = request;
    if (metadata === undefined || url !== metadata.path) return next();
    if (method === 'OPTIONS') response.writeHead(204, metadataPreflightHeaders).end();
    else if (method === 'GET' || method === 'HEAD') {
      response.writeHead(200, metadataHeaders).end(JSON.stringify(metadata.document));
    } else next();
  };
  return Object.assign(publishMetadata, {
    requireAuthentication,
    requireScope: (...scope: string[]) => requireAuthentication({ scope }),
    requireToken: requireAuthentication({}),
    close,
  });
}

/** The id that other middleware gave the request, such as pino-http, or its `X-Request-Id`. */
function findRequestId({ id, headers }: MiddlewareRequest): string | undefined {
  if (typeof id === 'string' || typeof id === 'number') return String(id);
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[!-~]{1,128}$/.test(sent) ? sent : undefined;
}

function refuse(response: ServerResponse, error: TokenError): void {
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...error.headers,
  });
  response.end(JSON.stringify(error));
}
