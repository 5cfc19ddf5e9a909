import { getClient, listClients } from '../api/auth-server.ts';
import { listAuditEvents } from '../api/events.ts';
import { getUser, listUsers } from '../api/org-api.ts';
import { getRefusals } from '../api/oversight.ts';
import { ApiError, type ApiRequest, type Send, type Service } from '../api/request.ts';
import { type Rights, servicesOf } from '../rights.ts';
import { clientPath, refusalPath, userPath } from './paths.ts';

/**
 * Where a text leads: to the client, user or request of which it is the name; else to the list that has something of it.
 * Undefined where there is nothing.
 */
export async function find(send: Send, rights: Rights, text: string): Promise<string | undefined> {
  const ask = async <Answer>(may: boolean, request: ApiRequest<Answer>): Promise<Answer | undefined> => {
    if (!may) return undefined;
    try {
      return (await send(request)).body;
    } catch (error) {
      // Not there, or no text that there can be.
      if (error instanceof ApiError && error.status < 500) return undefined;
      throw error;
    }
  };
  const isRequestId = rights.events && /^[\w.-]{8,128}$/.test(text);
  const askEach = async <Answer>(build: (service: Service) => ApiRequest<Answer>) =>
    (await Promise.all(servicesOf(rights).map((service) => ask(isRequestId, build(service))))).filter(
      (answer) => answer !== undefined,
    );
  const [client, user, clients, users, events, refusals] = await Promise.all([
    ask(rights.clients && /^[\w.~-]{1,255}$/.test(text), getClient(text)),
    ask(rights.users && text.includes('@'), getUser(text)),
    ask(rights.clients, listClients({ search: text.slice(0, 64), limit: 2 })),
    ask(rights.users, listUsers({ search: text, limit: 2 })),
    askEach((service) => listAuditEvents(service, { request: text, limit: 1 })),
    askEach((service) => getRefusals(service, text)),
  ]);
  if (client !== undefined) return clientPath(client.client_id);
  if (user !== undefined) return userPath(user.username);
  if (refusals.some((answer) => answer.refusals.length > 0)) return refusalPath(text);
  if (events.some((answer) => answer.events.length > 0)) return `/events?${new URLSearchParams({ request: text })}`;
  const foundClients = (clients?.clients ?? []).map(({ client_id }) => clientPath(client_id));
  const foundUsers = (users?.users ?? []).map(({ username }) => userPath(username));
  const [only, another] = [...foundClients, ...foundUsers];
  if (another === undefined) return only;
  return `${foundClients.length > 0 ? '/clients' : '/users'}?${new URLSearchParams({ search: text })}`;
}
