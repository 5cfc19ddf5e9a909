import type { Clock } from '@gatehouse/service-kit';
import { isJsonObject, parseBoundedJson } from '@gatehouse/shared';
import { LRUCache } from 'lru-cache';
import type { AuthorizationServer } from 'oauth4webapi';
import { chooseAge } from '../outbound/answer-age.ts';
import type { Call } from '../outbound/http-call.ts';
import { issuerInMetadata, tenantPart, type Upstream } from './upstream.ts';
import { mostUpstreams } from './upstream-store.ts';

/** Gives the metadata of an upstream. Throws where none can be read, or they are of another issuer. */
export type GetUpstreamMetadata = (upstream: Upstream) => Promise<AuthorizationServer>;

/** Of one upstream. Instants are milliseconds since the epoch. */
interface MetadataInHand {
  metadata?: AuthorizationServer;
  readAt: number;
  goodUntil: number;
  /** When they were last asked for. */
  askedAt: number;
  /** The call under way, which all callers share. */
  reading?: Promise<AuthorizationServer> | undefined;
}

const bounds = { longest: 256 * 1024, deepest: 8 };

/** Milliseconds. */
const leastAge = 60_000;
/** For which metadata count after the last good read, where no other succeeds. */
const keptFor = 86_400_000;
const pause = 30_000;

/** Keeps metadata as key sets are kept: as long as their answer says, and for a day while the upstream is out of reach. */
export function createUpstreamMetadata({ call, clock }: { call: Call; clock: Clock }): GetUpstreamMetadata {
  const all = new LRUCache<string, MetadataInHand>({ max: mostUpstreams });
  /** A change of the upstream lets go of what was read before it. */
  const find = ({ id, updatedAt }: Upstream): MetadataInHand => {
    const name = `${id} ${updatedAt}`;
    const known = all.get(name) ?? { readAt: 0, goodUntil: 0, askedAt: 0 };
    all.set(name, known);
    return known;
  };
  const read = (upstream: Upstream, inHand: MetadataInHand): Promise<AuthorizationServer> => {
    inHand.askedAt = clock();
    inHand.reading ??= readMetadata(call, upstream)
      .then(({ metadata, age }) => {
        const readAt = clock();
        Object.assign(inHand, { metadata, readAt, goodUntil: readAt + age });
        return metadata;
      })
      .finally(() => {
        inHand.reading = undefined;
      });
    return inHand.reading;
  };
  return async (upstream) => {
    const inHand = find(upstream);
    const { metadata, readAt, goodUntil, askedAt } = inHand;
    const now = clock();
    if (metadata === undefined || now >= readAt + keptFor) return read(upstream, inHand);
    if (now < goodUntil || now < askedAt + pause) return metadata;
    return read(upstream, inHand).catch(() => metadata);
  };
}

/** OpenID Connect Discovery 4.3: metadata of another issuer are none. A server for many organizations has them at `organizations`. */
async function readMetadata(call: Call, upstream: Upstream): Promise<{ metadata: AuthorizationServer; age: number }> {
  const place = upstream.issuer.replace(tenantPart, 'organizations').replace(/\/$/, '');
  const { body, maxAge } = await call({
    ...{ purpose: 'upstream', mostBytes: bounds.longest, within: 10_000 },
    url: `${place}/.well-known/openid-configuration`,
    accept: 'application/json',
    mediaType: /^application\/(?:[\w.-]+\+)?json$/,
  });
  const metadata = parseBoundedJson(body.toString('utf8'), bounds)?.value;
  if (!isJsonObject(metadata) || metadata.issuer !== issuerInMetadata(upstream)) {
    throw new Error('no metadata of this issuer');
  }
  return { metadata: metadata as unknown as AuthorizationServer, age: chooseAge(maxAge, leastAge) };
}
