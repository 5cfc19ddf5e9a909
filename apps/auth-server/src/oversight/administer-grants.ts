import { type DirectoryUser, ProblemError } from '@gatehouse/shared';
import { type Author, describeAdministrator } from '../administration/administrator.ts';
import { type Client, isEnded } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { RecordFact } from '../events/event.ts';
import type { RefreshToken } from '../tokens/refresh-token.ts';
import type { RefreshTokens } from '../tokens/refresh-tokens.ts';
import type { Revocations } from '../tokens/revocations.ts';
import { buildGrantView, type GrantView } from './grant-view.ts';
import type { Overseen, Page } from './overseen.ts';

/** A page of grants, the oldest first. */
export interface GrantPage {
  grants: GrantView[];
  next: string | undefined;
}

export type GrantAdministration = ReturnType<typeof createGrantAdministration>;

/** The grants that are looked at together where all of a client end. */
const batch = 200;

interface Dependencies {
  overseen: Overseen;
  clients: Pick<ClientStore, 'findByRegistration'>;
  refreshTokens: Pick<RefreshTokens, 'listLive' | 'listOfClient' | 'findByGrant' | 'isLive'>;
  revocations: Pick<Revocations, 'endGrant' | 'endGrantsOf' | 'endGrantsOfUser'>;
  record: RecordFact;
}

interface Held {
  token: RefreshToken;
  user: DirectoryUser;
  client: Client;
}

/** The grants of users that go on with a refresh token, for administrators. */
export function createGrantAdministration({ overseen, clients, refreshTokens, revocations, record }: Dependencies) {
  const listHeld = async (user: DirectoryUser, only: Client | undefined): Promise<Held[]> => {
    const tokens = (await refreshTokens.listLive(user)).sort((a, b) => (a.id < b.id ? -1 : 1));
    const registrationIds = [...new Set(tokens.map(({ registrationId }) => registrationId))];
    const found = await Promise.all(registrationIds.map(clients.findByRegistration));
    const byId = new Map(found.map((client) => [client?.registrationId, client]));
    return tokens.flatMap((token) => {
      const client = byId.get(token.registrationId);
      const isMeant = only === undefined || only.registrationId === token.registrationId;
      return client !== undefined && isMeant && !isEnded(client, token) ? [{ token, user, client }] : [];
    });
  };
  /** Those of users who are not there any more are left out, and of those whom `choose` leaves out. */
  const listHeldOfClient = async (client: Client, page: Page, author: Author, choose = keepAll) => {
    const tokens = await refreshTokens.listOfClient(client.registrationId, page);
    const userIds = [...new Set(tokens.map(({ userId }) => userId))];
    const users = choose(await overseen.findUsers(userIds, author.context));
    const found = await Promise.all(
      tokens.map(async (token) => {
        const user = users.get(token.userId);
        const isHeld = user !== undefined && !isEnded(client, token) && (await refreshTokens.isLive(token, user));
        return isHeld ? { token, user, client } : undefined;
      }),
    );
    const held = found.filter((one) => one !== undefined);
    return { held, last: tokens.length < page.limit ? undefined : tokens.at(-1)?.id };
  };
  const forAllOfClient = async (client: Client, author: Author, act: (held: Held[]) => Promise<void>) => {
    let after: string | undefined;
    do {
      const { held, last } = await listHeldOfClient(client, { after, limit: batch }, author);
      for (const { user } of held) overseen.check(author, user);
      await act(held);
      after = last;
    } while (after !== undefined);
  };
  const findHeld = async (token: RefreshToken | undefined, { context }: Author): Promise<Held | undefined> => {
    if (token === undefined) return undefined;
    const user = (await overseen.findUsers([token.userId], context)).get(token.userId);
    const client = await clients.findByRegistration(token.registrationId);
    if (user === undefined || client === undefined || isEnded(client, token)) return undefined;
    return (await refreshTokens.isLive(token, user)) ? { token, user, client } : undefined;
  };
  const end = async ({ token: { grantId }, user, client }: Held, { administrator, context }: Author): Promise<void> => {
    await revocations.endGrant(grantId);
    await record({
      type: 'grant.ended',
      ...{ user, client, grantId, administrator: describeAdministrator(administrator), context },
    });
  };

  return {
    /** Of one user; of one client of the user where `clientId` names one. Throws 404, 403, and 400 for a Robot. */
    async listOfUser(name: string, clientId: string | undefined, page: Page, author: Author): Promise<GrantPage> {
      const client = clientId === undefined ? undefined : await overseen.getClient(clientId);
      const held = await listHeld(await overseen.getUser(name, author), client);
      const later = held.filter(({ token }) => token.id > (page.after ?? ''));
      const shown = later.slice(0, page.limit);
      return showPage(shown, later.length > page.limit ? shown.at(-1)?.token.id : undefined);
    },
    /** Of all users but those with a role that the administrator lacks. Throws 404. */
    async listOfClient(clientId: string, page: Page, author: Author): Promise<GrantPage> {
      const client = await overseen.getClient(clientId);
      const { held, last } = await listHeldOfClient(client, page, author, overseen.leaveOut(author));
      return showPage(held, last);
    },
    /** One; throws 404 and 403. */
    async end(grantId: string, author: Author): Promise<void> {
      const held = await findHeld(await refreshTokens.findByGrant(grantId), author);
      if (held === undefined) throw new ProblemError(404, 'there is no such grant');
      overseen.check(author, held.user);
      await end(held, author);
    },
    /** Every one, with the codes that wait; of one client where `clientId` names one. Throws 404, 403, and 400 for a Robot. */
    async endAllOfUser(name: string, clientId: string | undefined, author: Author): Promise<void> {
      const client = clientId === undefined ? undefined : await overseen.getClient(clientId);
      const user = await overseen.getUser(name, author);
      for (const held of await listHeld(user, client)) await end(held, author);
      await (client === undefined
        ? revocations.endGrantsOfUser(user.id)
        : revocations.endGrantsOf(user.id, client.registrationId));
    },
    /** Every one; throws 404, and 403, before anything ends, where a user among them has a role that the administrator lacks. */
    async endAllOfClient(clientId: string, author: Author): Promise<void> {
      const client = await overseen.getClient(clientId);
      await forAllOfClient(client, author, async () => {});
      await forAllOfClient(client, author, async (held) => {
        for (const one of held) await end(one, author);
        const userIds = new Set(held.map(({ user }) => user.id));
        for (const userId of userIds) await revocations.endGrantsOf(userId, client.registrationId);
      });
    },
  };
}

const keepAll = (users: ReadonlyMap<string, DirectoryUser>) => users;

function showPage(held: readonly Held[], last: string | undefined): GrantPage {
  return { grants: held.map(({ token, user, client }) => buildGrantView(token, user, client)), next: hideTail(last) };
}

/**
 * A cursor is no id of a refresh token: by one, anybody ends the grant of a public client. The last eight digits are random,
 * and nothing comes between.
 */
function hideTail(id: string | undefined): string | undefined {
  return id && `${id.slice(0, -8)}ffffffff`;
}
