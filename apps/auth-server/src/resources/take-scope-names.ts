import type { Clock } from '@gatehouse/service-kit';
import type { ResourceScope } from './resource.ts';
import type { ResourceStore } from './resource-store.ts';
import type { ScopeNameStore, TakenScopeName } from './scope-name-store.ts';

/** Milliseconds after which a name that no resource shows is free: the process that took it was killed. */
const pendingFor = 600_000;

/** Takes the names of new scopes for a resource. Gives the names that are not free; then it has taken none. */
export type TakeScopeNames = (resourceId: string, scopes: readonly ResourceScope[]) => Promise<string[]>;

interface Dependencies {
  resources: Pick<ResourceStore, 'find'>;
  scopeNames: ScopeNameStore;
  clock: Clock;
}

/** Whether the name was left behind by a process that was killed halfway. */
function createIsLeftBehind({ resources, clock }: Dependencies) {
  return async ({ id, resourceId, takenAt }: TakenScopeName): Promise<boolean> => {
    if (takenAt > clock() - pendingFor) return false;
    const holder = await resources.find(resourceId);
    return holder === undefined || !holder.scopes.some((scope) => scope.id === id);
  };
}

/** Gives those of the names of new scopes that are not free. */
export type ListTakenNames = (scopes: readonly ResourceScope[]) => Promise<string[]>;

export function createListTakenNames(deps: Dependencies): ListTakenNames {
  const isLeftBehind = createIsLeftBehind(deps);
  return async (scopes) => {
    const found = await deps.scopeNames.find(scopes.map(({ name }) => name));
    const areLeft = await Promise.all(found.map(isLeftBehind));
    return found.filter((_name, index) => !areLeft[index]).map(({ name }) => name);
  };
}

export function createTakeScopeNames(deps: Dependencies): TakeScopeNames {
  const { scopeNames, clock } = deps;
  const isLeftBehind = createIsLeftBehind(deps);
  const freeLeftBehind = async (names: readonly string[]): Promise<void> => {
    const taken = await scopeNames.find(names);
    const areLeft = await Promise.all(taken.map(isLeftBehind));
    await scopeNames.giveBack(taken.filter((_name, index) => areLeft[index]).map(({ id }) => id));
  };

  return async (resourceId, scopes) => {
    const names = scopes.map(({ name }) => name);
    await freeLeftBehind(names);
    const now = clock();
    const outcomes = await Promise.all(scopes.map((scope) => scopeNames.take(resourceId, scope, now)));
    if (!outcomes.includes(false)) return [];
    await scopeNames.giveBack(scopes.filter((_scope, index) => outcomes[index]).map(({ id }) => id));
    return names.filter((_name, index) => !outcomes[index]);
  };
}
