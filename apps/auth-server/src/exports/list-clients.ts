import { readPages } from '@gatehouse/service-kit/database';
import { isEveryRole } from '@gatehouse/shared';
import { buildSettingsView } from '../administration/client-view.ts';
import { buildResourceView } from '../administration/resource-view.ts';
import { isBuiltIn } from '../clients/built-in-clients.ts';
import type { Client } from '../clients/client.ts';
import type { ClientListStore } from '../clients/client-list-store.ts';
import type { ClientLogoStore } from '../clients/client-logo-store.ts';
import {
  describeSecret,
  describeStoredSecret,
  describeUnknownSecret,
  findPreviousSecret,
} from '../clients/client-secret.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { ResourceStore } from '../resources/resource-store.ts';

interface Dependencies {
  resources: Pick<ResourceStore, 'list'>;
  clients: Pick<ClientListStore, 'listById'>;
  logos: Pick<ClientLogoStore, 'find'>;
  orgApi: OrgApi;
  /** Milliseconds. */
  now: number;
}

type Line = Record<string, unknown>;

/** Rows that are read at a time. */
const pageSize = 500;
const everyClient = { words: [], facets: [] };

/**
 * Lists the lines of a bundle: resources, and clients; `withCredentials`: with the hashes of their secrets. The organization API comes
 * from the configuration, and so do built-in clients.
 */
export async function* listClientsForExport(deps: Dependencies, withCredentials: boolean): AsyncGenerator<Line> {
  const { resources, clients, orgApi } = deps;
  for await (const page of readPages(resources.list)) {
    for (const resource of page.filter((each) => !orgApi.is(each.resource))) {
      const { id: _new, createdAt: _then, updatedAt: _later, ...members } = buildResourceView(resource, orgApi);
      yield { kind: 'resource', ...members };
    }
  }
  type Place = Parameters<typeof clients.listById>[1]['after'];
  for (let after: Place; ; ) {
    const page = await clients.listById(everyClient, { after, limit: pageSize });
    for (const client of page.clients) yield* await describeClient(deps, client, withCredentials);
    after = page.next;
    if (after === undefined) return;
  }
}

/** The client as it would be registered, and what no registration takes. */
async function describeClient({ logos, now }: Dependencies, client: Client, withCredentials: boolean): Promise<Line[]> {
  if (isBuiltIn(client)) return [];
  const note = (problem: string, value?: string): Line => ({
    ...{ kind: 'note', about: `client ${client.clientId}`, problem },
    ...(value !== undefined && { value }),
  });
  if (client.dynamic !== undefined) return [note('registers_itself')];
  if (client.document !== undefined) return [note('has_a_metadata_document')];
  const settings = buildSettingsView(client);
  const { ceiling, ceiling_given_at: _given, public: _said, dynamic: _not, enabled, managed_by, ...rest } = settings;
  const { created_at: _then, updated_at: _later, ...members } = rest;
  const known = describeSecret(client);
  // Without a secret the client would be a public one.
  const hash = known === undefined || withCredentials ? known : describeUnknownSecret();
  const previous = findPreviousSecret(client, now);
  return [
    {
      ...{ kind: 'client', ...members },
      ...(!enabled && { enabled }),
      ...(managed_by !== undefined && { managed_by }),
      ...(hash !== undefined && { client_secret_hash: hash }),
      ...(previous !== undefined && withCredentials && describePrevious(previous)),
    },
    ...(hash === known ? [] : [note('needs_secret')]),
    ...(isEveryRole(client.ceiling) ? [] : [note('has_a_ceiling', ceiling.join(' ') || 'none')]),
    ...(previous === undefined || withCredentials ? [] : [note('previous_secret')]),
    ...((await logos.find(client)) === undefined ? [] : [note('has_a_logo')]),
  ];
}

function describePrevious(secret: NonNullable<Client['previousSecret']>): Line {
  return {
    previous_client_secret_hash: describeStoredSecret(secret),
    previous_secret_expires_at: new Date(secret.expiresAt).toISOString(),
  };
}
