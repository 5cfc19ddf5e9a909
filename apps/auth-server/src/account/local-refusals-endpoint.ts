import { requestContextOf } from '@gatehouse/service-kit/http';
import {
  domainOf,
  type LocalRefusals,
  type LocalRefusalsAnswer,
  localRefusalsPath,
  ProblemError,
  parsePresentedToken,
} from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';
import type { FindActiveAccessToken } from '../tokens/find-active-access-token.ts';

interface Dependencies {
  config: { baseUrl: string };
  findActiveAccessToken: FindActiveAccessToken;
  listLocalRefusals(): Promise<LocalRefusals>;
}

/**
 * `GET /internal/local-refusals`: org-api asks by the access token that its user sent there, whether that user has a password here. It names
 * no domain but that of the user. The token proves no key: org-api, to which it was sent, saw the proof.
 */
export function registerLocalRefusals(app: FastifyInstance, deps: Dependencies): void {
  const { config, findActiveAccessToken, listLocalRefusals } = deps;
  app.get(localRefusalsPath, { schema: { hide: true } }, async (request, reply): Promise<LocalRefusalsAnswer> => {
    void reply.header('cache-control', 'no-store');
    const presented = parsePresentedToken(request.headers.authorization);
    const active = presented ? await findActiveAccessToken(presented.token, requestContextOf(request)) : undefined;
    if (active?.user === undefined || active.claims.aud !== config.baseUrl) {
      throw new ProblemError(401, 'send the access token of a user of org-api', { challenge: 'Bearer' });
    }
    const domain = domainOf(active.user.username);
    const refusals = (await listLocalRefusals()).filter(({ domains }) => domains.includes(domain));
    return { localRefusals: refusals.map(({ issuer }) => ({ issuer, domains: [domain] })) };
  });
}
