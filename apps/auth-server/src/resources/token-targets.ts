import type { MaybeLater, TargetDependencies } from './build-target.ts';
import { type AskedAccess, type ChosenAccess, createChooseForClient } from './choose-for-client.ts';
import { type ChooseOfGrant, createChooseOfGrant } from './choose-of-grant.ts';
import { isPersonalScope } from './org-api.ts';
import type { ResourceStore } from './resource-store.ts';
import type { Requester } from './token-target.ts';

/** Chooses the resource of an access token (RFC 8707). Each throws `invalid_target`, or `invalid_scope`. */
export interface TokenTargets {
  /** For a client that needs no user: the scope is of the target alone. */
  chooseForClient(client: Requester, asked: AskedAccess): MaybeLater<ChosenAccess>;
  /** For a user who gave the password to the client: the scopes about a person may be granted with any resource. */
  chooseForUser(client: Requester, asked: AskedAccess): MaybeLater<ChosenAccess>;
  chooseOfGrant: ChooseOfGrant;
}

interface Dependencies extends TargetDependencies {
  resources: Pick<ResourceStore, 'findByUri'>;
}

export function createTokenTargets(deps: Dependencies): TokenTargets {
  const choose = createChooseForClient(deps);
  return {
    chooseForClient: (client, asked) => choose(client, asked, () => false),
    chooseForUser: (client, asked) => choose(client, asked, isPersonalScope),
    chooseOfGrant: createChooseOfGrant(deps),
  };
}
