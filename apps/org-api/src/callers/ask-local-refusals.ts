import { type Fetch, fetchDocument, parsePresentedToken } from '@gatehouse/resource-server/parts';
import type { Logger } from '@gatehouse/service-kit';
import { type LocalRefusals, LocalRefusalsAnswer, ProblemError } from '@gatehouse/shared';
import { Compile } from 'typebox/schema';

/**
 * Asks auth-server which upstreams refuse the user of the access token a password here. Throws 503 where it does not say so: a user who may
 * have none sets none.
 */
export type AskLocalRefusals = (authorization: string | undefined) => Promise<LocalRefusals>;

const answered = Compile(LocalRefusalsAnswer);

export function createAskLocalRefusals({
  url,
  fetch,
  log,
}: {
  url: string;
  fetch: Fetch;
  log: Logger;
}): AskLocalRefusals {
  return async (authorization) => {
    const token = parsePresentedToken(authorization)?.token ?? '';
    const asOfUser: Fetch = (address, init) =>
      fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
    try {
      const answer = await fetchDocument(url, asOfUser);
      if (!answered.Check(answer)) throw new Error(`${url} answered no local refusals`);
      return answer.localRefusals;
    } catch (error) {
      log.warn({ err: error }, 'auth-server does not say which users have no password here');
      throw new ProblemError(
        503,
        'the auth server, which knows whether you have a password here, is out of reach; try again',
        { retryAfter: 5 },
      );
    }
  };
}
