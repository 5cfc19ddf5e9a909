import { randomBytes } from 'node:crypto';
import { unlinkSync, writeFileSync } from 'node:fs';
import { type Api, ApiError, listAll } from '../connection/api.ts';
import { StepError } from '../failures.ts';
import type { Apis } from './current.ts';
import { type Change, isSameSet } from './plan.ts';
import type { Described, Project } from './project.ts';

/** Seconds for which a secret that is replaced goes on, where the file does not say. */
const usualGrace = 3600;

/** Members that are done by requests of their own. */
const besideBody = ['client_secret', 'client_secret_hash', 'logo', 'trusted', 'members', 'secret_grace'];

/** Does one change. Throws a StepError, by `changed meanwhile` where the object is not what the plan saw. */
export async function applyChange(apis: Apis, project: Project, change: Change): Promise<void> {
  try {
    if (change.action === 'create') await create(apis, project, change.described as Described);
    else if (change.action === 'delete') await remove(apis, change);
    else await alter(apis, project, change);
  } catch (error) {
    const isLate = error instanceof ApiError && error.status === 412;
    throw isLate ? new StepError('apply', `${change.kind} ${change.name}: changed meanwhile`) : error;
  }
}

async function create(apis: Apis, project: Project, described: Described): Promise<void> {
  const { kind, members, secrets } = described;
  const api = apis[kind.service];
  const path = kind.name === 'user' ? kind.path.replace(/\/userId$/, '') : kind.path;
  const managed = kind.managedBy === undefined ? {} : { [kind.managedBy]: project.name };
  const made = secrets.generate === undefined ? undefined : writeSecret(secrets.generate);
  const secret = secrets.clientSecret ?? made;
  const body = {
    ...withoutBeside(described, kind.name === 'client' ? ['enabled'] : []),
    ...managed,
    ...(secret !== undefined && { client_secret: secret }),
    ...(members.client_secret_hash !== undefined && { client_secret_hash: members.client_secret_hash }),
    ...(secrets.password !== undefined && { password: secrets.password }),
  };
  const created = await api({ method: 'POST', path, body }).catch((error: unknown) => {
    throw secrets.generate === undefined ? error : forgetSecret(secrets.generate, error);
  });
  if (kind.name === 'client') await completeClient(api, described);
  if (kind.name === 'group') await setMembers(api, `${kind.path}/${String(created.body.id)}`, members.members);
}

/** Does the rest, which a registration does not take. */
async function completeClient(api: Api, { kind, name, members, secrets }: Described): Promise<void> {
  const path = `${kind.path}/${encodeURIComponent(name)}`;
  const later = {
    ...(members.enabled === false && { enabled: false }),
    ...(members.trusted === true && { trusted: true }),
  };
  if (Object.keys(later).length > 0) await api({ method: 'PATCH', path, body: later });
  if (secrets.logo !== undefined) await putLogo(api, path, secrets.logo);
}

/** The secret is in the file before the client has it, so that it is never lost. */
function writeSecret(path: string): string {
  const secret = randomBytes(32).toString('base64url');
  writeFileSync(path, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}

/** Takes the file of a client away that was refused. Without an answer the client may be there, and has this secret. */
function forgetSecret(path: string, error: unknown): unknown {
  if (error instanceof ApiError && error.status < 500) unlinkSync(path);
  else if (error instanceof StepError) error.more(`${path} has its secret if it was made, else delete it`);
  return error;
}

async function alter(apis: Apis, project: Project, change: Change): Promise<void> {
  const { described, current, members } = change;
  if (described === undefined || current === undefined) return;
  const { kind, secrets } = described;
  const api = apis[kind.service];
  const { path, etag } = current;
  const changed = Object.entries(members).filter(([name]) => !isBeside(kind.name, name));
  const body: Record<string, unknown> = Object.fromEntries(changed.map(([name, { to }]) => [name, to ?? null]));
  if ('trusted' in members) body.trusted = true;
  if (kind.name === 'upstream' && 'client_secret' in members) body.client_secret = secrets.clientSecret;
  if (Object.keys(body).length > 0) {
    await api({ method: 'PATCH', path, body, ...(etag !== undefined && { headers: { 'If-Match': etag } }) });
  }
  if (kind.name === 'client') await alterBeside(api, project, change, described);
  if (kind.name === 'group' && 'members' in members) await setMembers(api, path, described.members.members);
}

async function alterBeside(api: Api, project: Project, change: Change, { members, secrets }: Described): Promise<void> {
  const { path = '', view = {} } = change.current ?? {};
  if ('client_secret' in change.members) {
    const isAdopted = view.managed_by !== project.name;
    const grace = Number(members.secret_grace ?? (isAdopted ? 0 : usualGrace));
    const body = { client_secret: secrets.clientSecret, grace_seconds: grace };
    await api({ method: 'POST', path: `${path}/secret`, body });
  }
  if (!('logo' in change.members)) return;
  if (secrets.logo === undefined) await api({ method: 'DELETE', path: `${path}/logo` });
  else await putLogo(api, path, secrets.logo);
}

async function putLogo(api: Api, path: string, logo: Buffer): Promise<void> {
  await api({ method: 'PUT', path: `${path}/logo`, file: { type: 'image/png', bytes: logo } });
}

/** As many as a request takes. */
const atOnce = 500;

async function setMembers(api: Api, path: string, wanted: unknown): Promise<void> {
  if (!Array.isArray(wanted)) return;
  const listed = (await listAll(api, { path: `${path}/members` }, 'members')).map(({ username }) => String(username));
  const has = (list: readonly string[], name: string) => list.some((each) => isSameSet([each], [name]));
  const add = (wanted as string[]).filter((name) => !has(listed, name));
  const gone = listed.filter((name) => !has(wanted as string[], name));
  for (let at = 0; at < Math.max(add.length, gone.length); at += atOnce) {
    const body = { add: add.slice(at, at + atOnce), remove: gone.slice(at, at + atOnce) };
    await api({ method: 'POST', path: `${path}/members`, body });
  }
}

async function remove(apis: Apis, { current }: Change): Promise<void> {
  if (current === undefined) return;
  const { kind, path, etag } = current;
  await apis[kind.service]({ method: 'DELETE', path, ...(etag !== undefined && { headers: { 'If-Match': etag } }) });
}

function withoutBeside({ kind, members }: Described, more: readonly string[]): Record<string, unknown> {
  const kept = Object.entries(members).filter(([name]) => !isBeside(kind.name, name) && !more.includes(name));
  return Object.fromEntries(kept);
}

/** `members` of an upstream are its own. */
function isBeside(kind: string, name: string): boolean {
  return besideBody.includes(name) && !(kind === 'upstream' && name === 'members');
}
