import type { KnownOfRequest } from '@gatehouse/service-kit';
import type { AdministratorRefused, Fact, PasskeyRefused, PasswordChecked } from './event.ts';

/** Gives what a fact says of its request, for a refusal; undefined where that is nothing. */
export function findKnown(fact: Fact): KnownOfRequest | undefined {
  switch (fact.type) {
    case 'client.refused':
      return fact.client === undefined ? { reason: 'no client has this client_id' } : { client: fact.client.clientId };
    case 'password.checked':
      return { client: fact.clientId, user: findExisting(fact.claimed), reason: findPasswordReason(fact) };
    case 'second_step.checked':
      return { client: fact.clientId, user: fact.user.username };
    case 'passkey.refused':
      return { client: fact.clientId, user: fact.user?.username, reason: passkeyReasons[fact.why] };
    case 'administrator.refused':
      return describeAdministrator(fact);
    case 'grant.replayed':
      return { client: fact.client.clientId };
    default:
      return undefined;
  }
}

const userIsDisabled = 'the user is disabled';
const passkeyReasons: Record<PasskeyRefused['why'], string> = {
  wrong: 'no user has this passkey, or its answer is not right',
  disabled: userIsDisabled,
};

function findPasswordReason({ outcome, claimed }: PasswordChecked): string | undefined {
  if (outcome === 'disabled') return userIsDisabled;
  if (outcome !== 'wrong') return undefined;
  return claimed.id === undefined ? 'no user has this username' : 'the password is wrong';
}

/** A name that no user has is not kept: people type passwords where usernames belong. */
function findExisting({ username, id }: PasswordChecked['claimed']): string | undefined {
  return id === undefined ? undefined : username;
}

function describeAdministrator({ user, clientId, claimed }: AdministratorRefused): KnownOfRequest {
  if (typeof claimed === 'string') return { client: clientId, user: user?.username };
  return 'clientId' in claimed
    ? { client: claimed.clientId, user: user?.username }
    : { client: clientId, user: user?.username ?? findExisting(claimed) };
}
