import type { Identity } from '@gatehouse/shared';
import { isUsable, listIssuers, type Upstream } from '../upstreams/upstream.ts';

/** An account at an upstream by which a user signs in, as pages show it. */
export interface OwnIdentity extends Identity {
  /** The name of the upstream; the issuer where no upstream has that alias any more, or one of another issuer has it. */
  name: string;
  /** Whether the user can sign in by it. */
  isEnabled: boolean;
}

/** Says which upstreams the identities of a user are of. An org-api of the release before says none. */
export function describeOwnIdentities(
  identities: readonly Identity[] | undefined,
  upstreams: readonly Upstream[],
): OwnIdentity[] {
  return (identities ?? []).map((identity) => {
    const ofIssuer = upstreams.filter((upstream) => listIssuers(upstream).includes(identity.issuer));
    const named = ofIssuer.find(({ alias }) => alias === identity.upstream);
    return {
      ...identity,
      name: named?.displayName ?? identity.issuer,
      isEnabled: ofIssuer.some(isUsable),
    };
  });
}
