import { type Api, listAll, readIfThere } from '../connection/api.ts';
import type { View } from './compare.ts';
import { type Kind, kinds } from './kinds.ts';
import type { Project } from './project.ts';

export interface Apis {
  authServer: Api;
  orgApi: Api;
}

/** An object as a service has it. */
export interface Current {
  kind: Kind;
  name: string;
  view: View;
  /** Its path. */
  path: string;
  etag: string | undefined;
}

export type FindCurrent = (kind: Kind, name: string) => Current | undefined;

/** All that the services have which a project can be about: what its files name, and what says that it is of the project. */
export async function readCurrent(apis: Apis, project: Project): Promise<Current[]> {
  const found: Current[] = [];
  for (const kind of kinds) {
    const names = project.objects.filter((object) => object.kind === kind).map(({ name }) => name);
    if (kind.name === 'user') found.push(...(await readNamed(apis, kind, names)));
    else if (kind.name === 'client') found.push(...(await readClients(apis, kind, project.name, names)));
    else found.push(...(await readListed(apis, kind, names, project.name)));
  }
  return found;
}

/** Each by its path: there may be a million of them. */
async function readNamed(apis: Apis, kind: Kind, names: readonly string[]): Promise<Current[]> {
  const found: Current[] = [];
  for (const name of names) {
    const current = await readOne(apis, kind, name, `${kind.path}/${encodeURIComponent(name)}`);
    if (current !== undefined) found.push(current);
  }
  return found;
}

async function readClients(apis: Apis, kind: Kind, project: string, names: readonly string[]): Promise<Current[]> {
  const managed = await listAll(apis.authServer, { path: kind.path, query: { managed_by: project } }, kind.many);
  const others = managed.map((view) => String(view[kind.key])).filter((name) => !names.includes(name));
  return readNamed(apis, kind, [...names, ...others]);
}

/** The list has no versions: each that matters is read by itself. */
async function readListed(apis: Apis, kind: Kind, names: readonly string[], project: string): Promise<Current[]> {
  const wanted = new Set(names.map((name) => fold(kind, name)));
  const listed = await listAll(apis[kind.service], { path: kind.path }, kind.many);
  const mine = listed.filter(
    (view) => wanted.has(fold(kind, String(view[kind.key]))) || view[kind.managedBy ?? ''] === project,
  );
  const found: Current[] = [];
  for (const view of mine) {
    const path = `${kind.path}/${encodeURIComponent(String(view[kind.id]))}`;
    const current = await readOne(apis, kind, String(view[kind.key]), path);
    if (current !== undefined) found.push(current);
  }
  return found;
}

async function readOne(apis: Apis, kind: Kind, name: string, path: string): Promise<Current | undefined> {
  const found = await readIfThere(apis[kind.service], path);
  return found && { kind, name, view: found.body, path, etag: found.etag };
}

/** Finds one by its name, of users and groups without regard to case. */
export function createFind(all: readonly Current[]): FindCurrent {
  return (kind, name) => all.find((each) => each.kind === kind && fold(kind, each.name) === fold(kind, name));
}

function fold({ service }: Kind, name: string): string {
  return service === 'orgApi' ? name.toLowerCase() : name;
}
