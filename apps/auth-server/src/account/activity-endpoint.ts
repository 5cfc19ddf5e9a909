import type { FastifyInstance } from 'fastify';
import type { AccountPage, AccountPages } from './account-pages-endpoint.ts';
import { sendActivityPage } from './activity-page.ts';
import type { ListActivity } from './list-activity.ts';

interface Dependencies {
  config: { realm: string };
  accountPages: AccountPages;
  listActivity: ListActivity;
}

/** `GET /account/activity?cursor=` shows what happened with the account. */
export function registerActivity(app: FastifyInstance, { config, accountPages, listActivity }: Dependencies): void {
  const show: AccountPage['show'] = async ({ http, signedIn, context, messages }) => {
    const after = readCursor(http.request.query);
    const activity = await listActivity(signedIn.user.id, after, context);
    return sendActivityPage(http.reply, { ...config, ...activity, isFirst: after === undefined, messages });
  };
  accountPages.register(app, { path: '/account/activity', show });
}

/** A cursor that is none gives the newest page. */
function readCursor(query: unknown): string | undefined {
  const { cursor } = query as { cursor?: unknown };
  return typeof cursor === 'string' && idForm.test(cursor) ? cursor : undefined;
}

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
