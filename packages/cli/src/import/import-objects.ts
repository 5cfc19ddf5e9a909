import { foldName } from '../bundle/fold-name.ts';
import { type Api, ApiError, type FieldFault, listAll } from '../connection/api.ts';
import { compare, type View } from '../project/compare.ts';
import type { Apis } from '../project/current.ts';
import { kinds } from '../project/kinds.ts';
import { conclude, type Item, nameOf, type Outcome } from './item.ts';
import { chooseWrap, readPasswordHash, type WrapOptions } from './password-hash.ts';
import { type Planned, withoutPlannedResources } from './planned.ts';

export interface ObjectOptions extends WrapOptions {
  /** The URI of org-api. */
  orgApi: string;
}

type ImportOne = (item: Item) => Promise<Outcome>;

/** An object that is imported belongs to no project. */
const projectMembers = ['kind', 'managed_by', 'managedBy'];
/** Members of a client that its view does not show. */
const secrets = ['client_secret', 'client_secret_hash', 'previous_client_secret_hash'];

/** Makes the functions that import one object each. An object that is there is never changed. */
export function createImportObjects(apis: Apis, planned: Planned, options: ObjectOptions) {
  const { isDryRun } = options;
  const wrap = chooseWrap(options);
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

  const importClient: ImportOne = async (item) => {
    const { path } = kindOf('client');
    const [clientId, members] = [nameOf(item), omit(item.members, projectMembers)];
    const own = `${path}/${encodeURIComponent(clientId)}`;
    const view = clientId === '' ? undefined : await findView(apis.authServer, own);
    if (view !== undefined) return concludeExisting(item, omit(members, secrets), view);
    const { enabled, previous_client_secret_hash: previous, ...body } = members;
    const fixed = typeof enabled === 'boolean' ? body : omit(members, ['previous_client_secret_hash']);
    const notes = previous === undefined ? [] : [previousLeftOut];
    const hashed = await wrapSecret(fixed, wrap);
    const sent = isDryRun ? withoutPlannedResources(planned, hashed, options.orgApi) : hashed;
    await post(apis.authServer, path, sent).catch((error: unknown) => {
      if (!lacksPlannedRobot(error, members, planned)) throw error;
    });
    // A registration takes no `enabled`.
    if (enabled === false && !isDryRun) await apis.authServer({ method: 'PATCH', path: own, body: { enabled } });
    return conclude(item, 'created', notes);
  };

  const importers = { group: importGroup, resource: importResource, client: importClient };
  return async (items: readonly Item[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const item of items) {
      if (item.kind !== 'user') outcomes.push(await refuseFaulty(item, importers[item.kind]));
    }
    return outcomes;
  };
}

const previousLeftOut = {
  field: 'previous_client_secret_hash',
  detail: 'is left out: the secret before this one does not work here',
};

/** A client is never left without a secret: a hash that nobody knows is sent as it is, and the service refuses it. */
async function wrapSecret(
  body: Record<string, unknown>,
  wrap: ReturnType<typeof chooseWrap>,
): Promise<Record<string, unknown>> {
  const { client_secret_hash: hash } = body;
  if (typeof hash !== 'string') return body;
  const { sent = hash } = await readPasswordHash(hash, wrap);
  return { ...body, client_secret_hash: sent };
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

function concludeExisting(item: Item, members: View, view: View): Outcome {
  const described = { kind: kindOf(item.kind), name: nameOf(item), members, secrets: {}, place: { file: '', line: 0 } };
  const differing = Object.keys(compare(described, view));
  if (differing.length === 0) return conclude(item, 'unchanged');
  const detail = 'differs; an import changes nothing that is there';
  return conclude(
    item,
    'skipped',
    differing.map((field) => ({ field, detail })),
  );
}

async function findView(api: Api, path: string): Promise<View | undefined> {
  try {
    return (await api({ method: 'GET', path })).body;
  } catch (error) {
    // Of a name that cannot be one the registration says what is wrong.
    if (error instanceof ApiError && [400, 404].includes(error.status)) return undefined;
    throw error;
  }
}

/** Whether a dry run refused a client for its Robot alone, which would have been made. */
function lacksPlannedRobot(error: unknown, { srvc_ac_user_name: robot }: View, { robots }: Planned): boolean {
  if (!(error instanceof ApiError) || typeof robot !== 'string' || !robots.has(foldName(robot))) return false;
  return error.faults.every(({ field }: FieldFault) => field === 'srvc_ac_user_name');
}

function listScopes({ scopes }: View): string[] {
  return Array.isArray(scopes) ? scopes.map(({ name }: { name: string }) => name) : [];
}

function kindOf(name: Item['kind']) {
  const kind = kinds.find((each) => each.name === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

function omit(members: View, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
