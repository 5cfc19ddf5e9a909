import { foldName } from '../bundle/fold-name.ts';
import { type Api, ApiError, listAll } from '../connection/api.ts';
import type { View } from '../project/compare.ts';
import type { Apis } from '../project/current.ts';
import { kindOf } from '../project/kinds.ts';
import { createImportClient } from './import-client.ts';
import { concludeExisting, type ImportOne, type ObjectOptions, omit, projectMembers } from './import-one.ts';
import { conclude, type Item, nameOf, type Outcome } from './item.ts';
import type { Planned } from './planned.ts';

/** Makes the functions that import one object each. An object that is there is never changed. */
export function createImportObjects(apis: Apis, planned: Planned, options: ObjectOptions) {
  const { isDryRun } = options;
  const query = { dry_run: isDryRun ? 'true' : undefined };
  const post = (api: Api, path: string, body: object) => api({ method: 'POST', path, query, body });

  let groups: Set<string> | undefined;
  const importGroup: ImportOne = async (item) => {
    const { path } = kindOf('group');
    const [name, body] = [foldName(nameOf(item)), omit(item.members, projectMembers)];
    groups ??= new Set((await listAll(apis.orgApi, { path }, 'groups')).map((group) => foldName(String(group.name))));
    if (groups.has(name)) return conclude(item, 'unchanged');
    await post(apis.orgApi, path, body);
    groups.add(name);
    if (isDryRun) planned.groups.add(name);
    return conclude(item, 'created');
  };

  const importResource: ImportOne = async (item) => {
    const { path } = kindOf('resource');
    const [resource, body] = [nameOf(item), omit(item.members, projectMembers)];
    if (resource !== '') {
      const { body: found } = await apis.authServer({ method: 'GET', path, query: { resource } });
      const [view] = found.resources as View[];
      if (view !== undefined) return concludeExisting(item, body, view);
    }
    await post(apis.authServer, path, body);
    if (isDryRun) planned.resources.set(resource, listScopes(body));
    return conclude(item, 'created');
  };

  const importClient = createImportClient(apis.authServer, planned, options);

  const importers = { group: importGroup, resource: importResource, client: importClient };
  return async (items: readonly Item[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const item of items) {
      if (item.kind !== 'user') outcomes.push(await refuseFaulty(item, importers[item.kind]));
    }
    return outcomes;
  };
}

/** A line that a service refuses leaves the others as they are. */
async function refuseFaulty(item: Item, importOne: ImportOne): Promise<Outcome> {
  try {
    return await importOne(item);
  } catch (error) {
    const statuses = item.kind === 'client' ? [400, 403, 409] : [400, 409, 413];
    if (error instanceof ApiError && statuses.includes(error.status)) return conclude(item, 'refused', error.faults);
    throw error;
  }
}

function listScopes({ scopes }: View): string[] {
  return Array.isArray(scopes) ? scopes.map(({ name }: { name: string }) => name) : [];
}
