import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { foldName } from '../bundle/fold-name.ts';
import { listAll, readIfThere } from '../connection/api.ts';
import { compare, listWritable, type View } from './compare.ts';
import type { Apis } from './current.ts';
import { type Kind, kinds, userKind } from './kinds.ts';

interface ExportRequest {
  project: string;
  folder: string;
  /** Objects of the project alone; else those of no project, too. */
  managedOnly: boolean;
}

/** Writes what `apply` takes, a file for each kind; gives the names of the files. People are no configuration: Robots alone. */
export async function exportProject(apis: Apis, request: ExportRequest): Promise<string[]> {
  const { project, folder } = request;
  mkdirSync(folder, { recursive: true });
  const written: string[] = [];
  for (const { kind, views } of await listExported(apis, request)) {
    const objects = [];
    for (const view of views) objects.push(await describe(apis, kind, view, folder));
    if (objects.length === 0) continue;
    const file = join(folder, `${kind.many}.yaml`);
    writeFileSync(file, stringify({ gatehouse: 1, project, [kind.many]: objects }, { lineWidth: 0 }));
    written.push(file);
  }
  return written;
}

async function listExported(apis: Apis, { project, managedOnly }: ExportRequest) {
  const lists: { kind: Kind; views: View[] }[] = [];
  for (const kind of kinds) {
    const views = await listViews(apis, kind);
    lists.push({ kind, views: views.filter((view) => isExported(kind, view, project, managedOnly)) });
  }
  const viewsOf = (name: Kind['name']) => lists.find(({ kind }) => kind.name === name)?.views ?? [];
  const robots = viewsOf('user');
  if (!managedOnly) robots.push(...(await listUnlistedRobots(apis, viewsOf('client'), robots)));
  return lists;
}

/** A list finds an imported user within a minute. So a Robot that a client acts as, and no list has, is read by its name. */
async function listUnlistedRobots(apis: Apis, clients: readonly View[], listed: readonly View[]): Promise<View[]> {
  const known = new Set(listed.map(({ username }) => foldName(String(username))));
  const named = clients.flatMap(({ srvc_ac_user_name: name }) => (typeof name === 'string' ? [name] : []));
  const missing = new Map(
    named.map((name) => [foldName(name), name] as const).filter(([folded]) => !known.has(folded)),
  );
  const robots: View[] = [];
  for (const name of missing.values()) {
    const path = `${userKind.path}/${encodeURIComponent(name)}`;
    const robot = await readIfThere(apis.orgApi, path);
    if (robot !== undefined) robots.push(robot.body);
  }
  return robots;
}

function listViews(apis: Apis, kind: Kind): Promise<View[]> {
  if (kind.name !== 'user') return listAll(apis[kind.service], { path: kind.path }, kind.many);
  return listAll(apis.orgApi, { path: kind.path.replace(/\/userId$/, ''), query: { userType: 'Robot' } }, kind.many);
}

/** Clients that registered themselves, or that a document describes, are kept by others. */
function isExported(kind: Kind, view: View, project: string, managedOnly: boolean): boolean {
  if (view.dynamic === true || view.metadata_document !== undefined) return false;
  if (kind.managedBy === undefined) return !managedOnly;
  const managedBy = view[kind.managedBy];
  return managedBy === project || (managedBy === undefined && !managedOnly);
}

async function describe(apis: Apis, kind: Kind, view: View, folder: string): Promise<Record<string, unknown>> {
  const names = kind.name === 'user' ? robotMembers : listWritable(kind, view);
  const members = Object.fromEntries(
    names.map((name) => [name, view[name]]).filter(([, value]) => value !== undefined),
  );
  const kept = omitDefaults(kind, members);
  if (kind.name === 'client') Object.assign(kept, await describeClient(apis, view, folder));
  if (kind.name === 'upstream' && view.token_endpoint_auth_method !== 'private_key_jwt') {
    kept.client_secret = { env: variableOf(`upstream ${view.alias}`) };
  }
  return kept;
}

const robotMembers = ['username', 'userType', 'roles', 'enabled'];

/** A member that has the value which `apply` gives it without being told is left out. */
function omitDefaults(kind: Kind, members: View): Record<string, unknown> {
  const kept: Record<string, unknown> = { ...members };
  if (kind.name === 'user') return kept;
  for (const name of Object.keys(members)) {
    if (name === kind.key) continue;
    const { [name]: value, ...others } = kept;
    const described = { kind, name: '', members: others, secrets: {}, place: { file: '', line: 0 } };
    if (Object.keys(compare(described, { [name]: value })).includes(name)) continue;
    delete kept[name];
  }
  return kept;
}

async function describeClient(apis: Apis, view: View, folder: string): Promise<Record<string, unknown>> {
  const clientId = String(view.client_id);
  const { ceiling } = view;
  const logo = await readLogo(apis, clientId);
  const file = `${clientId.replaceAll(/[^\w.-]/g, '_')}.png`;
  if (logo !== undefined) writeFileSync(join(folder, file), logo);
  return {
    ...(hasSecret(view) && { client_secret: { env: variableOf(clientId) } }),
    ...((ceiling as string[]).length === 3 && { trusted: true }),
    ...(logo !== undefined && { logo: { file } }),
  };
}

/** Whether a client proves itself by a secret. */
export function hasSecret({ public: isPublic, token_endpoint_auth_method: method }: View): boolean {
  return isPublic === false && method !== 'private_key_jwt' && method !== 'federated_jwt';
}

async function readLogo({ authServer }: Apis, clientId: string): Promise<Buffer | undefined> {
  return (await readIfThere(authServer, `/clients/${encodeURIComponent(clientId)}/logo`))?.bytes;
}

/** The variable that holds a secret: `SHOP_APP_SECRET` of a client `shop-app`, `UPSTREAM_CORP_SECRET` of an upstream. */
function variableOf(name: string): string {
  const upper = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return `${/^[A-Z]/.test(upper) ? '' : 'C_'}${upper}_SECRET`;
}
