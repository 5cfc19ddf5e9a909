import { createHash } from 'node:crypto';
import { idFromBytes } from '@gatehouse/service-kit';
import { buildClient } from '../administration/build-client.ts';
import type { Client, ClientDocument } from '../clients/client.ts';
import { chooseFirstLapse } from '../clients/client-lapse.ts';
import { isLoopbackUri, redirectUrisOf } from '../clients/redirect-uri.ts';
import type { BuildRegistration } from '../registration/build-registration.ts';
import { documentLimits, readDocument, toBadDocument } from './read-document.ts';

/** A client that a document describes. */
export type DocumentClient = Client & { document: ClientDocument };

/** The answer at the URL of a document. Instants are milliseconds since the epoch. */
export interface DocumentAnswer {
  url: string;
  text: string;
  readAt: number;
  expiresAt: number;
}

/** Makes the client of a document, which is not stored yet; throws what is wrong with the document. */
export type BuildDocumentClient = (answer: DocumentAnswer) => Promise<DocumentClient>;

export function createBuildDocumentClient(deps: { buildRegistration: BuildRegistration }): BuildDocumentClient {
  return async ({ url, text, readAt, expiresAt }) => {
    const body = readDocument(url, text);
    const { registration, metadata } = await deps
      .buildRegistration(body, url, documentLimits)
      .catch((error: unknown) => {
        throw toBadDocument(error);
      });
    const client = {
      // As by open registration: no role can be used through it.
      ...buildClient(registration, [], readAt),
      registrationId: deriveRegistrationId(url),
      metadata,
      dynamic: { tokenHash: undefined, initialToken: undefined, applicationType: body.application_type },
      document: { readAt, expiresAt, changedAt: readAt },
    };
    // A document cannot know the port that a program gets.
    const isNative = redirectUrisOf(client).some(isLoopbackUri);
    return beginAt({ ...client, metadata: { ...metadata, ...(isNative && { loopback_ports: 'any' }) } }, readAt);
  };
}

/** The beginning of the time that generations are counted in: seconds since then fit the columns for decades. */
const firstSecond = Date.UTC(2026, 0, 1);

/**
 * The client as one that begins now. All replicas give it the same registration, also after it was deleted and came again: codes, tokens and
 * consents of before are of an earlier generation.
 */
export function beginAt(client: DocumentClient, now: number): DocumentClient {
  const generation = Math.floor((now - firstSecond) / 1000);
  return {
    ...client,
    tokenGeneration: generation,
    grantGeneration: generation,
    codeGeneration: generation,
    document: { ...client.document, changedAt: now },
    lapsesAt: chooseFirstLapse(now),
    createdAt: now,
    updatedAt: now,
  };
}

/** RFC 9562 5.8: a UUIDv8, of the URL. */
function deriveRegistrationId(url: string): string {
  const bytes = createHash('sha256').update(`client document\0${url}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return idFromBytes(bytes);
}
