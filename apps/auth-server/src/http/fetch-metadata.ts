import { OAuthError } from '@gatehouse/shared';
import type { FastifyInstance } from 'fastify';

/** The pages of people, and the forms on them. */
const ofPeople = /^\/(?:account|oauth)(?:\/|$)/;

/**
 * Refuses the pages of people to scripts of this server's own origin (Fetch Metadata 2): no page here sends such a request, so it would
 * be a script that got into the console, or into the API reference, and acts with the cookies of its user.
 */
export function refuseOwnScripts(scope: FastifyInstance): void {
  scope.addHook('onRequest', async ({ headers, routeOptions }) => {
    const { 'sec-fetch-site': site, 'sec-fetch-dest': destination } = headers;
    if (site !== 'same-origin' || destination !== 'empty' || !ofPeople.test(routeOptions.url ?? '')) return;
    throw new OAuthError('access_denied', 'open this page in a window; scripts may not ask for it', { status: 403 });
  });
}
