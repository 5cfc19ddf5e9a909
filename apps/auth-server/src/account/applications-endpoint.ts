import type { FastifyInstance } from 'fastify';
import type { Consents } from '../consent/consents.ts';
import type { RecordFact } from '../events/event.ts';
import type { AccountForm, AccountPage, AccountPages } from './account-pages-endpoint.ts';
import { sendApplicationsPage } from './applications-page.ts';
import type { ListApplications } from './list-applications.ts';

interface Dependencies {
  config: { realm: string; authUrl: string };
  accountPages: AccountPages;
  listApplications: ListApplications;
  consents: Pick<Consents, 'takeBack'>;
  record: RecordFact;
}

/** `GET /account/applications` shows the applications with access; `POST` takes the access of one back. */
export function registerApplications(app: FastifyInstance, deps: Dependencies): void {
  const { config, accountPages, listApplications, consents, record } = deps;
  const show: AccountPage['show'] = async ({ http, signedIn, formToken, messages }, fault) => {
    const applications = await listApplications(signedIn.user);
    const { username } = signedIn.user;
    const { realm, authUrl: issuer } = config;
    return sendApplicationsPage(http.reply, { realm, issuer, username, applications, formToken, fault, messages });
  };
  const takeBack: AccountForm = {
    path: '/account/applications',
    async take({ signedIn, context }, form) {
      const { user } = signedIn;
      const client = (await listApplications(signedIn.user)).find(
        ({ registrationId }) => registrationId === form.get('registration'),
      );
      if (client !== undefined) {
        await consents.takeBack(user.id, client.registrationId);
        await record({ type: 'consent.withdrawn', user, client, context });
      }
      return { goTo: '/account/applications' };
    },
  };
  accountPages.register(app, { path: '/account/applications', show }, [takeBack]);
}
