import type { Clock, Logger } from '@gatehouse/service-kit';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Outbound } from '../outbound/room.ts';
import type { Registration } from '../registration/room.ts';
import type { StatusListsRoom } from '../status-lists/room.ts';
import { createBuildDocumentClient } from './build-document-client.ts';
import { createClientDocuments } from './client-documents.ts';
import { createDocumentBudget } from './document-budget.ts';

interface Needs {
  config: Pick<Config, 'clientIdMetadata' | 'clientIdMetadataUrls'>;
  events: Events;
  outbound: Outbound;
  clients: Clients;
  statusLists: StatusListsRoom;
  registration: Registration;
  clock: Clock;
  log: Logger;
}

export type ClientDocumentsRoom = ReturnType<typeof createClientDocumentsRoom>;

/** Clients whose client_id is the URL of a document that describes them. */
export function createClientDocumentsRoom(needs: Needs) {
  const { config, events, outbound, clients, statusLists, registration, clock, log } = needs;
  if (config.clientIdMetadata === 'open') {
    log.info('CLIENT_ID_METADATA is open: every https URL may be a client, and this server reads the document there');
  }
  return createClientDocuments({
    ...{ config, ...events, ...clients, ...outbound, ...statusLists, clock },
    documentBudget: createDocumentBudget({ ...clients, clock }),
    buildDocumentClient: createBuildDocumentClient(registration),
  });
}
