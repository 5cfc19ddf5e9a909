import { hash, timingSafeEqual } from 'node:crypto';
import type { Logger } from '@gatehouse/service-kit';
import type { KeyEncryption } from '../keys/key-encryption.ts';
import type { Upstream } from './upstream.ts';
import { mostUpstreams, type UpstreamStore } from './upstream-store.ts';

interface Dependencies {
  upstreams: Pick<UpstreamStore, 'list' | 'replaceSealedSecret' | 'forgetSecret'>;
  encryption: KeyEncryption;
  log: Logger;
}

export type UpstreamSecrets = ReturnType<typeof createUpstreamSecrets>;

/** The client secrets of this server at upstreams, encrypted at rest, each for its upstream. */
export function createUpstreamSecrets({ upstreams, encryption, log }: Dependencies) {
  const contextOf = ({ id }: Pick<Upstream, 'id'>) => `upstream ${id}`;
  const seal = (upstream: Pick<Upstream, 'id'>, secret: string) => encryption.encrypt(secret, contextOf(upstream));
  const open = (upstream: Upstream) => encryption.decrypt(upstream.sealedSecret ?? '', contextOf(upstream));
  const listSealed = async () =>
    (await upstreams.list({ after: undefined, limit: mostUpstreams })).filter(
      ({ sealedSecret }) => sealedSecret !== undefined,
    );
  const isReadable = (upstream: Upstream) => {
    try {
      return open(upstream) !== undefined;
    } catch {
      return false;
    }
  };
  const digest = (secret: string) => hash('sha256', secret, 'buffer');
  return {
    seal,
    /** Throws where it was encrypted with another KEY_ENCRYPTION_KEY. */
    open,
    /** In a time that says nothing of the secret. Throws where it was encrypted with another KEY_ENCRYPTION_KEY. */
    matches: (upstream: Upstream, secret: string) => timingSafeEqual(digest(secret), digest(open(upstream))),
    /** Encrypts again what the previous key encrypted. */
    async renew(): Promise<void> {
      for (const upstream of await listSealed()) {
        if (encryption.isCurrent(upstream.sealedSecret ?? '')) continue;
        try {
          await upstreams.replaceSealedSecret(upstream, seal(upstream, open(upstream)));
        } catch (err) {
          // People sign in by the others.
          log.error({ err }, `the client secret of the upstream ${upstream.alias} cannot be read; set it again`);
        }
      }
    },
    /** Forgets the secrets that no key at hand opens, and gives their upstreams. */
    async forgetUnreadable(now: number): Promise<Upstream[]> {
      const unreadable = (await listSealed()).filter((upstream) => !isReadable(upstream));
      for (const upstream of unreadable) await upstreams.forgetSecret(upstream, now);
      return unreadable;
    },
  };
}
