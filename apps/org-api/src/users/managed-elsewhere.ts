import { domainOf, type LocalRefusals } from '@gatehouse/shared';
import type { Identity } from '../identities/identity.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { User } from './user.ts';

/**
 * Whether a user signs in by an upstream alone: by one of the refusals that auth-server names, neither a password nor a passkey alone
 * signs the user in.
 */
export type IsManagedElsewhere = (user: User, refusals: LocalRefusals | undefined) => Promise<boolean>;
/** The accounts for which that is so. */
export type FindManagingIdentities = (user: User, refusals: LocalRefusals | undefined) => Promise<Identity[]>;

export function createManagedElsewhere({ identities }: { identities: Pick<IdentityStore, 'listOfUser'> }) {
  const findManagingIdentities: FindManagingIdentities = async (user, refusals = []) => {
    const { id, username, roles, identities: linked } = user;
    if (linked === undefined || roles.length > 0) return [];
    const domain = domainOf(username);
    const issuers = refusals.filter(({ domains }) => domains.includes(domain)).map(({ issuer }) => issuer);
    if (issuers.length === 0) return [];
    return (await identities.listOfUser(id)).filter(({ issuer }) => issuers.includes(issuer));
  };
  const isManagedElsewhere: IsManagedElsewhere = async (user, refusals) =>
    (await findManagingIdentities(user, refusals)).length > 0;
  return { findManagingIdentities, isManagedElsewhere };
}
