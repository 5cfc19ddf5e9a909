import { type Author, describeAdministrator } from '../administration/administrator.ts';
import type { ConsentStore } from '../consent/consent-store.ts';
import type { Consents } from '../consent/consents.ts';
import type { RecordFact } from '../events/event.ts';
import { buildConsentView, type ConsentView } from './consent-view.ts';
import type { Overseen, Page } from './overseen.ts';

/** A page of consents: of a user in the order of the client_ids, of a client in that of the ids of users. */
export interface ConsentPage {
  consents: ConsentView[];
  next: string | undefined;
}

export type ConsentAdministration = ReturnType<typeof createConsentAdministration>;

interface Dependencies {
  overseen: Overseen;
  consents: Pick<Consents, 'list' | 'takeBack'>;
  consentStore: Pick<ConsentStore, 'find' | 'listOfClient'>;
  record: RecordFact;
}

/** The consents of users to third-party clients, for administrators. */
export function createConsentAdministration({ overseen, consents, consentStore, record }: Dependencies) {
  return {
    /** Of one user; to one client where `clientId` names one. Throws 404, 403, and 400 for a Robot. */
    async listOfUser(name: string, clientId: string | undefined, page: Page, author: Author): Promise<ConsentPage> {
      const client = clientId === undefined ? undefined : await overseen.getClient(clientId);
      const user = await overseen.getUser(name, author);
      const given = (await consents.list(user.id)).filter(
        (consent) => client === undefined || consent.registrationId === client.registrationId,
      );
      const later = given.filter((consent) => consent.clientId > (page.after ?? ''));
      const shown = later.slice(0, page.limit);
      const next = later.length > page.limit ? shown.at(-1)?.clientId : undefined;
      return { consents: shown.map((consent) => buildConsentView(consent, user)), next };
    },
    /** Of all users but those with a role that the administrator lacks. Throws 404. */
    async listOfClient(clientId: string, { after, limit }: Page, author: Author): Promise<ConsentPage> {
      const { registrationId } = await overseen.getClient(clientId);
      const given = await consentStore.listOfClient(registrationId, { after, limit });
      const userIds = given.map(({ userId }) => userId);
      const users = overseen.leaveOut(author)(await overseen.findUsers(userIds, author.context));
      const shown = given.flatMap((consent) => {
        const user = users.get(consent.userId);
        return user === undefined ? [] : [buildConsentView(consent, user)];
      });
      return { consents: shown, next: given.length < limit ? undefined : given.at(-1)?.userId };
    },
    /** Ends the grants of the client for the user too. Nothing where there is none. Throws 404, 403, and 400 for a Robot. */
    async takeBack(name: string, clientId: string, author: Author): Promise<void> {
      const client = await overseen.getClient(clientId);
      const user = await overseen.getUser(name, author);
      const { registrationId } = client;
      if ((await consentStore.find(user.id, registrationId)) === undefined) return;
      await consents.takeBack(user.id, registrationId);
      const { administrator, context } = author;
      await record({
        type: 'consent.withdrawn',
        ...{ user, client, administrator: describeAdministrator(administrator), context },
      });
    },
  };
}
