import { discardBody, type Fetch, readText } from '../fetch.ts';
import { isJsonObject, parseBoundedJson } from '../json/bounded-json.ts';

/** A published key set (RFC 7517 5). Nothing of its keys is checked yet. */
export interface PublishedKeySet {
  keys: readonly unknown[];
}

/** Rejects where the key set cannot be had. */
export type FetchKeySet = () => Promise<PublishedKeySet>;

/** Milliseconds. */
const timeout = 3_000;
/** Bytes, and levels, of a document that the issuer publishes. */
const bounds = { longest: 1024 * 1024, deepest: 8 };
const mostKeys = 256;

/** Fetches a JWKS over HTTP (RFC 7517 5). */
export function createFetchKeySet(url: string, fetch: Fetch): FetchKeySet {
  return async () => {
    const { keys } = await fetchDocument(url, fetch);
    if (!Array.isArray(keys) || keys.length > mostKeys) throw new Error(`${url} is no key set`);
    return { keys };
  };
}

/** Fetches a JSON object that the issuer publishes. Follows no redirect. */
export async function fetchDocument(url: string, fetch: Fetch): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeout),
    redirect: 'manual',
  });
  if (answer.status !== 200) {
    await discardBody(answer);
    throw new Error(`${url} answered ${answer.status}`);
  }
  const document = parseBoundedJson(await readText(answer, bounds.longest), bounds)?.value;
  if (!isJsonObject(document)) throw new Error(`${url} answered no JSON object`);
  return document;
}
