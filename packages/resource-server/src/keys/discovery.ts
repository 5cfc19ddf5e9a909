import type { Clock } from '../clock.ts';
import type { Fetch } from '../fetch.ts';
import { createFetchKeySet, type FetchKeySet, fetchDocument } from './fetch-key-set.ts';

/** Milliseconds for which the address of the keys is remembered. */
const rememberedFor = 60 * 60_000;

/** Fetches the key set that the issuer's metadata names. Asks for the metadata again after an hour and after a failure. */
export function createFetchDiscoveredKeySet(issuer: string, fetch: Fetch, clock: Clock): FetchKeySet {
  let known: { fetchKeySet: FetchKeySet; until: number } | undefined;
  return async () => {
    if (known === undefined || known.until <= clock()) {
      const fetchKeySet = createFetchKeySet(await discoverKeySet(issuer, fetch), fetch);
      known = { fetchKeySet, until: clock() + rememberedFor };
    }
    try {
      return await known.fetchKeySet();
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}

/** Where an issuer's metadata may stand: OpenID Connect Discovery 4, and RFC 8414 3 and 5. */
export function listMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const urls = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return [...new Set(urls)];
}

async function discoverKeySet(issuer: string, fetch: Fetch): Promise<string> {
  const faults: string[] = [];
  for (const url of listMetadataUrls(issuer)) {
    try {
      return findKeySetUrl(await fetchDocument(url, fetch), issuer);
    } catch (error) {
      faults.push(`${url}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error(`no metadata of ${issuer}: ${faults.join('; ')}`);
}

/** RFC 8414 3.3: the metadata must name the very issuer, or it is that of another. */
function findKeySetUrl({ issuer: named, jwks_uri: url }: Record<string, unknown>, issuer: string): string {
  if (named !== issuer) throw new Error('the metadata is of another issuer');
  if (typeof url !== 'string' || !URL.canParse(url)) throw new Error('the metadata names no key set');
  const { protocol } = new URL(url);
  // Keys that came over plain http could be anybody's, unless the issuer itself is asked so.
  if (protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'))) return url;
  throw new Error('the key set of an https issuer must be at an https address');
}
