import { StepError } from '../failures.ts';
import { isMap } from '../is-map.ts';
import { type Kind, kinds } from './kinds.ts';
import { findTypeFault } from './member-types.ts';
import { type Described, describeFilled, listFilledGroups, type Project } from './project.ts';
import { fault, type ProjectFile, readFiles } from './read-files.ts';
import { readSecrets, referenceNames } from './secrets.ts';

const namePattern = /^(?!configuration$)[a-z0-9-]{1,64}$/;
const builtIn = ['gatehouse-console', 'gatehouse-cli'];

/** Reads a project, and what its references hold. Throws a StepError that names file and line. */
export function readProject(paths: readonly string[], environment: NodeJS.ProcessEnv, named?: string): Project {
  const files = readFiles(paths);
  if (files.length === 0) throw new StepError('files', 'there is no file with the ending .yaml, .yml or .json');
  const names = files.map(readHead);
  const [name = named] = names.filter((each) => each !== undefined);
  if (name === undefined) throw new StepError('files', 'name the project: project: NAME in a file, or --project NAME');
  const other = [...names, named].find((each) => each !== undefined && each !== name);
  if (other !== undefined) throw new StepError('files', `the files are of two projects: ${name} and ${other}`);
  if (!namePattern.test(name))
    throw new StepError('files', `project: ${name} is not 1–64 characters of a-z, 0-9 and -`);
  const objects = files.flatMap((file) => kinds.flatMap((kind) => readList(file, kind, environment)));
  checkTogether(objects);
  return { name, objects };
}

/** Checks what stands around the lists of a file; gives the name of its project. */
function readHead({ path, content, placeOf }: ProjectFile): string | undefined {
  if (!isMap(content)) throw new StepError('files', `${path}:1: a file is a map that begins with gatehouse: 1`);
  if (content.gatehouse !== 1) throw fault(placeOf(['gatehouse']), 'gatehouse must be 1');
  const known = ['gatehouse', 'project', ...kinds.map(({ many }) => many)];
  const unknown = Object.keys(content).find((name) => !known.includes(name));
  if (unknown !== undefined) throw fault(placeOf([unknown]), `unknown member ${unknown}`);
  const { project } = content;
  if (project === undefined || typeof project === 'string') return project;
  throw fault(placeOf(['project']), 'project must be a name');
}

function readList(file: ProjectFile, kind: Kind, environment: NodeJS.ProcessEnv): Described[] {
  const list = (file.content as Record<string, unknown>)[kind.many];
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw fault(file.placeOf([kind.many]), `${kind.many} must be a list`);
  return list.map((item: unknown, index) => readObject(file, kind, item, [kind.many, index], environment));
}

function readObject(
  file: ProjectFile,
  kind: Kind,
  item: unknown,
  way: readonly (string | number)[],
  environment: NodeJS.ProcessEnv,
): Described {
  const place = file.placeOf(way);
  if (!isMap(item)) throw fault(place, `a ${kind.name} must be a map`);
  const { [kind.key]: name } = item;
  if (typeof name !== 'string' || name === '') throw fault(place, `a ${kind.name} needs ${kind.key}`);
  for (const [member, value] of Object.entries(item)) {
    const problem = isKnown(kind, member)
      ? findTypeFault(kind, member, value)
      : `unknown member ${member} of a ${kind.name}`;
    if (problem !== undefined) throw fault(file.placeOf([...way, member]), problem);
  }
  if (kind.name === 'client' && (builtIn.includes(name) || /^https:/.test(name))) {
    throw fault(place, `${name} is kept by ${builtIn.includes(name) ? 'the configuration' : 'its document'}`);
  }
  const secrets = readSecrets(kind, item, (member) => file.placeOf([...way, member]), environment);
  const members = Object.fromEntries(Object.entries(item).filter(([member]) => !referenceNames(kind).includes(member)));
  return { kind, name, members, secrets, place };
}

function isKnown({ name, members }: Kind, member: string): boolean {
  return members.includes(member) || (name === 'resource' && /^name#/.test(member));
}

function checkTogether(objects: readonly Described[]): void {
  const seen = new Map<string, Described>();
  for (const object of objects) {
    const key = `${object.kind.name} ${fold(object)}`;
    const before = seen.get(key);
    if (before !== undefined) {
      throw fault(
        object.place,
        `${object.kind.name} ${object.name} stands at ${before.place.file}:${before.place.line}, too`,
      );
    }
    seen.set(key, object);
  }
  for (const { kind, members, name, place } of objects) {
    if (kind.name !== 'upstream') continue;
    for (const group of listFilledGroups(members)) {
      const listed = seen.get(`group ${group.toLowerCase()}`);
      if (listed?.members.members === undefined) continue;
      throw fault(place, describeFilled(name, group));
    }
  }
}

/** Names of users and groups are compared without regard to case. */
function fold({ kind, name }: Described): string {
  return kind.service === 'orgApi' ? name.toLowerCase() : name;
}
