import { isDeepStrictEqual } from 'node:util';
import { buildEntryLimit, type Clock, type RequestContext } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import { chooseGenerations, chooseUpdatedAt, endEarlierGenerations } from '../administration/client-version.ts';
import { buildSettingsView } from '../administration/client-view.ts';
import { listFieldChanges } from '../administration/field-changes.ts';
import type { FindByDocument } from '../clients/authenticate-client.ts';
import type { Client } from '../clients/client.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { isListedDocument, isWellFormedDocumentUrl } from '../clients/document-url.ts';
import { redirectUrisOf } from '../clients/redirect-uri.ts';
import type { DocumentMode } from '../config.ts';
import type { RecordFact } from '../events/event.ts';
import { chooseAge } from '../outbound/answer-age.ts';
import type { Call, OutboundAnswer, Share } from '../outbound/http-call.ts';
import { OutboundFailure } from '../outbound/outbound-failure.ts';
import { changedMeanwhile } from '../registration/register-openly.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import { type BuildDocumentClient, beginAt, type DocumentClient } from './build-document-client.ts';
import type { Asker, DocumentBudget } from './document-budget.ts';
import { DocumentFault } from './document-fault.ts';
import { longestDocument } from './read-document.ts';

export interface ClientDocuments {
  /** The client that begins an authorization; undefined where no client may be a URL. Throws a {@link DocumentFault}. */
  findToAuthorize(url: string, address: string): Promise<Client | undefined>;
  /** The client that proves itself: while its document is over time and cannot be read, it goes on for a day. */
  findToAuthenticate: FindByDocument;
  /**
   * Gives the client as its row has it, which is written where there is none: of several that write it at the same moment all get the one
   * that is there. For a user who is signed in.
   */
  keep(client: Client, context: RequestContext): Promise<Client>;
  /** The same for a pushed request; throws a 429 where too many come from its network. */
  keepPushed(client: Client, context: RequestContext): Promise<Client>;
}

interface Dependencies {
  config: { clientIdMetadata: DocumentMode; clientIdMetadataUrls: readonly string[] };
  clients: Pick<ClientStore, 'find' | 'insert' | 'update' | 'noteReading'>;
  call: Call;
  documentBudget: DocumentBudget;
  buildDocumentClient: BuildDocumentClient;
  statusLists: Pick<StatusLists, 'revokeRegistration'>;
  record: RecordFact;
  clock: Clock;
}

const mostDocuments = 1_000;
/** Milliseconds. */
const leastAge = 300_000;
/** For how long refreshes and codes go on in a document that is over time and cannot be read. */
const keptFor = 86_400_000;

export function createClientDocuments(deps: Dependencies): ClientDocuments {
  const { config, clients, documentBudget, clock } = deps;
  const { clientIdMetadata: mode, clientIdMetadataUrls: listed } = config;
  /** Those without a row. A document that cannot be read, or is not good, is in neither. */
  const inMemory = new LRUCache<string, DocumentClient>(buildEntryLimit(mostDocuments));
  const underWay = new Map<string, Promise<Client>>();
  const renew = createRenew(deps);
  const fetchDocument = createFetchDocument(deps);

  const isOverTime = ({ document }: Client) => clock() >= (document?.expiresAt ?? 0);

  const readOnce = async (url: string, row: Client | undefined, asker: Asker): Promise<Client> => {
    await documentBudget.spend(url, asker);
    const read = await fetchDocument(url, isListedDocument(url, listed));
    if (row !== undefined) return renew(row, read);
    inMemory.set(url, read);
    return read;
  };
  /** One call for all who wait. */
  const read = (url: string, row: Client | undefined, asker: Asker): Promise<Client> => {
    const started = underWay.get(url) ?? readOnce(url, row, asker).finally(() => underWay.delete(url));
    underWay.set(url, started);
    return started;
  };

  const find = async (url: string, address: string): Promise<Client> => {
    const isListed = isListedDocument(url, listed);
    if (!isWellFormedDocumentUrl(url)) throw new DocumentFault('form', 'client_id is no URL of a metadata document');
    if (mode === 'listed' && !isListed) throw new DocumentFault('unlisted', 'this metadata document is not taken here');
    const row = await clients.find(url);
    const known = row ?? inMemory.get(url);
    if (known !== undefined && (!known.enabled || !isOverTime(known))) return known;
    return read(url, row, { address, isKnown: isListed || row !== undefined });
  };

  /** After a document could not be read: the client as it was read last, for a day. */
  const findInGrace = async (url: string, error: unknown): Promise<Client | undefined> => {
    if (!(error instanceof DocumentFault)) throw error;
    if (error.kind === 'form' || error.kind === 'unlisted') return undefined;
    const row = error.kind === 'bad' ? undefined : await clients.find(url);
    if (row?.document !== undefined && clock() < row.document.expiresAt + keptFor) return row;
    throw toOAuthError(error);
  };
  const insert = async (client: DocumentClient, context: RequestContext): Promise<Client> => {
    const made = beginAt(client, clock());
    if (await clients.insert(made)) {
      await deps.record({
        type: 'client.registered',
        by: 'anyone',
        client: made,
        details: { document: made.clientId },
        context,
      });
      return made;
    }
    const taken = await clients.find(client.clientId);
    if (taken === undefined) throw changedMeanwhile();
    return taken;
  };
  const keep = async (client: Client, context: RequestContext, spend = async () => {}): Promise<Client> => {
    const { document } = client;
    if (document === undefined) return client;
    const row = await clients.find(client.clientId);
    if (row !== undefined) return row;
    await spend();
    return insert({ ...client, document }, context);
  };

  return {
    async findToAuthorize(url, address) {
      return mode === 'off' ? undefined : find(url, address);
    },
    async findToAuthenticate(url, { address }) {
      return mode === 'off' ? undefined : find(url, address).catch((error: unknown) => findInGrace(url, error));
    },
    keep: (client, context) => keep(client, context),
    keepPushed: (client, context) => keep(client, context, () => documentBudget.spendRow(context.address)),
  };
}

type FetchDocument = (url: string, isListed: boolean) => Promise<DocumentClient>;

function createFetchDocument({ call, buildDocumentClient, clock }: Dependencies): FetchDocument {
  const ask = (url: string, share: Share): Promise<OutboundAnswer> =>
    call({
      ...{ purpose: 'client_document', share, url, accept: 'application/json', mostBytes: longestDocument },
      mediaType: /^application\/(?:[!-~]+\+)?json$/,
    });
  return async (url, isListed) => {
    const { body, maxAge } = await ask(url, isListed ? 'registered' : 'strangers').catch((error: unknown) => {
      if (!(error instanceof OutboundFailure)) throw error;
      throw new DocumentFault('unreachable', `the metadata document cannot be read: ${error.fault}`, { cause: error });
    });
    const readAt = clock();
    return buildDocumentClient({
      ...{ url, text: body.toString('utf8'), readAt },
      expiresAt: readAt + chooseAge(maxAge, leastAge),
    });
  };
}

/** Stores what a document that was read again says. */
function createRenew({ clients, statusLists, record, clock }: Dependencies) {
  return async (before: Client, read: DocumentClient): Promise<Client> => {
    const { scope, grantTypes, redirectUri, metadata, dynamic, document } = read;
    const said = { scope, grantTypes, redirectUri, metadata, dynamic };
    const { changedAt = 0 } = before.document ?? {};
    const same: Client = { ...before, document: { ...document, changedAt } };
    if (isDeepStrictEqual(pickSaid(before), pickSaid(read))) {
      await clients.noteReading(before, document);
      return same;
    }
    const updatedAt = chooseUpdatedAt(before, clock());
    const after: Client = { ...same, ...said, updatedAt };
    if (isSeenDifferently(before, after)) after.document = { ...document, changedAt: updatedAt };
    Object.assign(after, chooseGenerations(before, after));
    if (provesByKey(before) && !provesByKey(after)) endGrants(after, before);
    // Another replica, or an administrator, may have changed it meanwhile.
    if (!(await clients.update(after, before.updatedAt))) return (await clients.find(before.clientId)) ?? read;
    await endEarlierGenerations(statusLists, after);
    const changes = listFieldChanges(buildSettingsView(same), buildSettingsView({ ...after, document: same.document }));
    await record({ type: 'client.changed', by: 'itself', client: after, details: { changes }, context: undefined });
    return after;
  };
}

/** All that a document decides. */
function pickSaid({ scope, grantTypes, redirectUri, metadata, dynamic }: Client): unknown {
  return JSON.parse(JSON.stringify({ scope, grantTypes, redirectUri, metadata: sortMembers(metadata), dynamic }));
}

function sortMembers(metadata: object): object {
  return Object.fromEntries(Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function provesByKey({ metadata }: Client): boolean {
  return metadata.token_endpoint_auth_method === 'private_key_jwt';
}

/** Without the key another program may have the URL: codes and refresh tokens end. */
function endGrants(after: Client, before: Client): void {
  const generation = before.tokenGeneration + 1;
  Object.assign(after, { tokenGeneration: generation, grantGeneration: generation });
}

/** Whether users would see another application, or answers go to another website. */
function isSeenDifferently(before: Client, after: Client): boolean {
  return !isDeepStrictEqual(describeIdentity(before), describeIdentity(after));
}

function describeIdentity(client: Client) {
  const websites = redirectUrisOf(client).filter((uri) => /^https:/i.test(uri));
  return { name: client.metadata.client_name, hosts: new Set(websites.map((uri) => new URL(uri).host)) };
}

/** Where the client proves itself. */
function toOAuthError({ kind, message, retryAfter, cause }: DocumentFault): OAuthError {
  const reason = cause instanceof Error ? cause.message : undefined;
  if (kind === 'bad') return new OAuthError('invalid_client', message, { reason });
  if (kind === 'limited') return new OAuthError('temporarily_unavailable', message, { status: 429, retryAfter });
  return new OAuthError('temporarily_unavailable', message, { status: 503, retryAfter: 10, reason });
}
