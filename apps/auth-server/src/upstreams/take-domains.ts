import type { Clock } from '@gatehouse/service-kit';
import type { TakenDomain, UpstreamDomainStore } from './upstream-domain-store.ts';
import { mostUpstreams, type UpstreamStore } from './upstream-store.ts';

/** Milliseconds after which a domain that no upstream shows is free: the process that took it was killed. */
const pendingFor = 600_000;

/** A domain that is not free, and the alias of the upstream that shows it; undefined where none does yet. */
export interface DomainOfOther {
  domain: string;
  alias: string | undefined;
}

interface Dependencies {
  upstreams: Pick<UpstreamStore, 'list'>;
  upstreamDomains: UpstreamDomainStore;
  clock: Clock;
}

export type TakeDomains = ReturnType<typeof createTakeDomains>;

/** Sees to it that a domain belongs to one upstream. */
export function createTakeDomains({ upstreams, upstreamDomains, clock }: Dependencies) {
  /** Those of the domains that are not free, and those that a process which was killed halfway left behind. */
  const look = async (domains: readonly string[]) => {
    const found = await upstreamDomains.find(domains);
    const all = found.length === 0 ? [] : await upstreams.list({ after: undefined, limit: mostUpstreams });
    const findAlias = ({ domain, upstreamId }: TakenDomain) =>
      all.find((upstream) => upstream.id === upstreamId && upstream.domains.includes(domain))?.alias;
    const isLeft = (taken: TakenDomain) => taken.takenAt <= clock() - pendingFor && findAlias(taken) === undefined;
    const others = found.filter((taken) => !isLeft(taken));
    return {
      others: others.map((taken): DomainOfOther => ({ domain: taken.domain, alias: findAlias(taken) })),
      left: found.filter(isLeft),
    };
  };
  return {
    /** Gives those of the domains that are not free. */
    listOthers: async (domains: readonly string[]) => (await look(domains)).others,
    /** Takes domains for an upstream. Where some are not free, it gives these, and has taken none. */
    async take(upstreamId: string, domains: readonly string[]) {
      const { others, left } = await look(domains);
      if (others.length > 0) return { taken: [], others };
      await upstreamDomains.giveBack(left);
      const takenAt = clock();
      const asked = domains.map((domain): TakenDomain => ({ domain, upstreamId, takenAt }));
      const outcomes = await Promise.all(asked.map((one) => upstreamDomains.take(one)));
      const taken = asked.filter((_one, index) => outcomes[index]);
      if (taken.length === asked.length) return { taken, others: [] };
      await upstreamDomains.giveBack(taken);
      const lost = domains.filter((_domain, index) => !outcomes[index]);
      const holders = (await look(lost)).others;
      const aliasOf = (domain: string) => holders.find((holder) => holder.domain === domain)?.alias;
      return { taken: [], others: lost.map((domain): DomainOfOther => ({ domain, alias: aliasOf(domain) })) };
    },
    /** Those of the domains that an upstream has, to be given back when it shows them no more. */
    listOwn: async (upstreamId: string, domains: readonly string[]) =>
      (await upstreamDomains.find(domains)).filter((taken) => taken.upstreamId === upstreamId),
    giveBack: upstreamDomains.giveBack,
    giveBackAllOf: upstreamDomains.giveBackAllOf,
  };
}
