import type { NoteLine } from '../../bundle/bundle-line.ts';
import { note } from '../notes.ts';

/** Scopes that each server of Gatehouse has. `roles` is none of them: here it is about administration alone. */
const known = ['openid', 'profile', 'email', 'phone', 'address', 'offline_access', 'groups'];

/** The scopes of a client that exist here. The others belong to an API, which an administrator registers. */
export function splitScopes(clientId: string, names: Iterable<string>): { scope: string[]; notes: NoteLine[] } {
  const all = [...new Set(names)];
  const scope = known.filter((name) => all.includes(name));
  const others = all.filter((name) => !known.includes(name));
  return {
    scope: scope.length > 0 ? scope : ['profile'],
    notes: others.map((name) => note(`client ${clientId}`, 'scope_of_a_resource', name)),
  };
}
