import type { Logger } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Tell } from '../events/event.ts';
import { getQuery } from '../http/form.ts';
import { sendErrorPage } from '../pages/error-page.ts';
import { messagesFor } from '../pages/messages/messages-for.ts';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { Attempts, TakenAttempt } from '../upstreams/attempts.ts';
import { pathOfStep } from './place-endpoint.ts';

interface Dependencies {
  config: { realm: string };
  upstreamAttempts: Attempts;
  browserCookies: BrowserCookies;
  tell: Tell;
  log: Pick<Logger, 'warn'>;
}

/**
 * `GET /oauth/upstreams/{alias}/callback`: takes the answer of an upstream, once, and leads to the place that the user came from. The
 * answer comes by a link from another site, which brings the cookies of this one.
 */
export function registerUpstreamCallback(app: FastifyInstance, deps: Dependencies): void {
  const { config, upstreamAttempts, browserCookies, tell, log } = deps;
  const finish = async (taken: TakenAttempt, browser: string, answer: URLSearchParams, request: FastifyRequest) => {
    try {
      await upstreamAttempts.finish(taken, browser, answer);
    } catch (error) {
      const { alias: upstream } = taken.upstream;
      // The message alone: what a library keeps with it may hold what the upstream said of the user.
      const reason = error instanceof Error ? error.message : 'unknown';
      log.warn({ requestId: request.id, upstream, reason }, 'a sign-in at an upstream failed');
      const about = { clientId: taken.attempt.clientId, context: requestContextOf(request) };
      tell({ ...about, type: 'upstream.refused', why: 'failed', upstream, user: undefined });
      await upstreamAttempts.fail(taken);
    }
  };

  app.get<{ Params: { alias: string } }>(
    '/oauth/upstreams/:alias/callback',
    { schema: { hide: true } },
    async (request, reply) => {
      const { binding } = browserCookies.readBrowser(request);
      const answer = new URLSearchParams(getQuery(request));
      const state = answer.get('state');
      const taken =
        binding === undefined || state === null
          ? undefined
          : await upstreamAttempts.use(request.params.alias, binding, state);
      if (binding === undefined || taken === undefined) return sendOverPage(request, reply, config.realm);
      await finish(taken, binding, answer, request);
      const { id, place } = taken.attempt;
      const path = pathOfStep(place === '' ? undefined : place, 'upstream-result');
      const query = new URLSearchParams({ attempt: id });
      return reply.header('cache-control', 'no-store').redirect(`${reply.server.pageFrame.base}${path}?${query}`, 303);
    },
  );
}

/** For a sign-in that is over, was used, or belongs to another browser. */
export function sendOverPage(request: FastifyRequest, reply: FastifyReply, realm: string): FastifyReply {
  const messages = messagesFor(request);
  return sendErrorPage(reply, 400, {
    ...{ realm, messages, requestId: request.id },
    title: messages.error.theirsTitle,
    message: messages.upstream.over,
    advice: messages.error.theirsAdvice,
  });
}
