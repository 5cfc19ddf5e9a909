import { type Clock, noteKnown } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import type { FastifyRequest } from 'fastify';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';
import type { FindSignedInUser } from '../sessions/browser-sessions.ts';
import { findDueStep, type SignInDemand } from './due-step.ts';

export type FindSignedIn = ReturnType<typeof createFindSignedIn>;

interface Dependencies {
  browserCookies: BrowserCookies;
  findSignedInUser: FindSignedInUser;
  clock: Clock;
}

/** Finds the user who is signed in at a browser and owes no step of the sign-in. */
export function createFindSignedIn({ browserCookies, findSignedInUser, clock }: Dependencies) {
  return async (request: FastifyRequest, demand: SignInDemand = {}) => {
    const context = requestContextOf(request);
    const signedIn = await findSignedInUser(
      browserCookies.findSessionToken(request),
      context,
      (session) => findDueStep(session, demand, clock()) === undefined,
    );
    if (signedIn !== undefined) noteKnown(context, { user: signedIn.user.username });
    return signedIn;
  };
}
