import type { Clock, Logger } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { LocalRefusals } from '@gatehouse/shared';
import type { Config } from '../config.ts';
import type { Keys } from '../keys/room.ts';
import { createOutboundFetch } from '../outbound/outbound-fetch.ts';
import type { Outbound } from '../outbound/room.ts';
import { createAttempts } from './attempts.ts';
import { createCallGithub } from './call-github.ts';
import { createCallOpenId, type SignOutWay, type UpstreamCalls } from './call-upstream.ts';
import { createTakeDomains } from './take-domains.ts';
import { listIssuers, type Upstream, type UpstreamKind } from './upstream.ts';
import { createUpstreamAttemptStore } from './upstream-attempt-store.ts';
import { createUpstreamDomainStore } from './upstream-domain-store.ts';
import { createUpstreamSecrets } from './upstream-secrets.ts';
import { createUpstreamStore } from './upstream-store.ts';

interface Needs {
  config: Pick<Config, 'authUrl'>;
  database: Database;
  keys: Keys;
  outbound: Outbound;
  clock: Clock;
  log: Logger;
}

export type Upstreams = ReturnType<typeof createUpstreams>;

/** Other servers where users sign in, and the sign-ins there that are under way. */
export function createUpstreams({ config: { authUrl }, database, keys, outbound, clock, log }: Needs) {
  const { encryption, signingKeys, deriveKey } = keys;
  const upstreams = createUpstreamStore(database);
  const upstreamSecrets = createUpstreamSecrets({ upstreams, encryption, log });
  const signedOutUriOf = ({ alias }: Pick<Upstream, 'alias'>) => `${authUrl}/oauth/upstreams/${alias}/signed-out`;
  const redirectUriOf = ({ alias }: Pick<Upstream, 'alias'>) => `${authUrl}/oauth/upstreams/${alias}/callback`;
  const outboundFetch = createOutboundFetch(outbound, 'upstream', 'upstreams');
  const common = { ...outbound, outboundFetch, signingKeys, upstreamSecrets, redirectUriOf, clock };
  const calls: Record<UpstreamKind, UpstreamCalls> = {
    oidc: createCallOpenId(common),
    github: createCallGithub(common),
  };
  const attempts = createAttempts({
    ...{ upstreams, calls, clock },
    attempts: createUpstreamAttemptStore(database),
    attemptKey: deriveKey('upstream attempt'),
  });
  /**
   * Those whose users have no methods here: each issuer with its domains. A disabled one too: its former users would come back by a password
   * of before.
   */
  const listLocalRefusals = async (): Promise<LocalRefusals> =>
    (await upstreams.listRecent())
      .filter(({ localMethods }) => localMethods === 'refused')
      .flatMap((upstream) => listIssuers(upstream).map((issuer) => ({ issuer, domains: [...upstream.domains] })));
  const takeDomains = createTakeDomains({
    ...{ upstreams, clock },
    upstreamDomains: createUpstreamDomainStore(database),
  });
  return {
    takeDomains,
    listLocalRefusals,
    signedOutUriOf,
    buildSignOut: (upstream: Upstream, way: SignOutWay) => calls[upstream.kind].buildSignOut(upstream, way),
    upstreams,
    upstreamSecrets,
    redirectUriOf,
    upstreamAttempts: attempts,
  };
}
