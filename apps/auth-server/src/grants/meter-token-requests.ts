import type { Metrics } from '@gatehouse/service-kit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toOAuthError } from '../http/error-handlers.ts';
import { getEncodedForm } from '../http/oauth-endpoint.ts';

const grantTypes = new Set([
  'password',
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'service_account',
]);

/** Counts what the token endpoint answers: `issued`, or the OAuth error code. Register it before the route. */
export function meterTokenRequests(app: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.counter({
    name: 'gatehouse_token_requests_total',
    help: 'Requests for tokens, by grant type and outcome: issued, or the error code',
    labelNames: ['grant_type', 'outcome'],
  });
  for (const grantType of grantTypes) requests.add([grantType, 'issued'], 0);
  app.addHook('onRoute', (route) => {
    if (route.url !== '/oauth/token' || route.method !== 'POST') return;
    route.onError = (request, _reply, error, done) => {
      requests.add([grantTypeOf(request), toOAuthError(error, request.id).code]);
      done();
    };
    route.onResponse = (request, reply, done) => {
      if (reply.statusCode === 200) requests.add([grantTypeOf(request), 'issued']);
      done();
    };
  });
}

/** Looked for in the form as it came, which costs less than to read it again; no form encoder changes these letters. */
function grantTypeOf(request: FastifyRequest): string {
  const [, grantType = ''] = /(?:^|&)grant_type=([a-z_]+)(?:&|$)/.exec(getEncodedForm(request)) ?? [];
  return grantTypes.has(grantType) ? grantType : 'other';
}
