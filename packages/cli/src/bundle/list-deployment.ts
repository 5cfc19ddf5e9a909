import { randomBytes } from 'node:crypto';
import { type Api, ApiError, listEach, readIfThere } from '../connection/api.ts';
import { listWritable, type View } from '../project/compare.ts';
import type { Apis } from '../project/current.ts';
import { hasSecret } from '../project/export-project.ts';
import { kindOf, userKind } from '../project/kinds.ts';
import type { BundleLine, NoteLine, UserLine } from './bundle-line.ts';

type Identities = NonNullable<UserLine['identities']>;

/** Lists the lines of a bundle of all that an administrator sees of a deployment. Its organization API comes from the configuration. */
export async function* listDeployment(apis: Apis, organization: string): AsyncGenerator<BundleLine> {
  for (const name of ['resource', 'group'] as const) {
    for await (const view of listViews(apis, name)) if (view.resource !== organization) yield describe(name, view);
  }
  yield* listUsers(apis);
  const readLogo = (client: View) => hasLogo(apis.authServer, client);
  for await (const [client, logo] of withEach(listViews(apis, 'client'), readLogo)) yield* describeClient(client, logo);
}

async function* listUsers(apis: Apis): AsyncGenerator<BundleLine> {
  let isShown = true;
  const readIdentities = async (user: View): Promise<Identities> => {
    const found = isShown && user.userType === 'Person' ? await findIdentities(apis.orgApi, user) : [];
    isShown &&= found !== undefined;
    return found ?? [];
  };
  for await (const [user, identities] of withEach(listViews(apis, 'user'), readIdentities)) {
    yield { ...describe('user', user), ...(identities.length > 0 && { identities }) } as BundleLine;
  }
  if (!isShown) yield { kind: 'note', about: 'users', problem: 'identities_not_shown' };
}

function listViews(apis: Apis, name: 'resource' | 'group' | 'user' | 'client'): AsyncGenerator<View> {
  const { service, path, many } = kindOf(name);
  return listEach(apis[service], { path: path.replace(/\/userId$/, '') }, many);
}

/** Requests about single objects at the same time. */
const mostAtOnce = 4;

/** Reads something more of each, some at a time, and keeps the order. */
async function* withEach<More>(
  views: AsyncIterable<View>,
  read: (view: View) => Promise<More>,
): AsyncGenerator<[View, More]> {
  let waiting: View[] = [];
  const readWaiting = () => Promise.all(waiting.map(async (view): Promise<[View, More]> => [view, await read(view)]));
  for await (const view of views) {
    waiting.push(view);
    if (waiting.length < mostAtOnce) continue;
    yield* await readWaiting();
    waiting = [];
  }
  yield* await readWaiting();
}

/** No record says whether there are any. Undefined where the caller may read none: only a SystemAdministrator may. */
async function findIdentities(orgApi: Api, { username }: View): Promise<Identities | undefined> {
  const path = `${userKind.path}/${encodeURIComponent(String(username))}/identities`;
  try {
    const found = (await readIfThere(orgApi, path))?.body.identities ?? [];
    return (found as Identities).map(({ issuer, subject }) => ({ issuer, subject }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** Of a client that comes into a bundle. */
async function hasLogo(authServer: Api, client: View): Promise<boolean> {
  if (isLeftOut(client)) return false;
  const path = `${kindOf('client').path}/${encodeURIComponent(String(client.client_id))}/logo`;
  return (await readIfThere(authServer, path)) !== undefined;
}

/** Members that an import of a user takes, and no change of one. */
const ofUsers = ['id', 'createdAt'];

function describe(name: Exclude<BundleLine['kind'], 'note'>, view: View): BundleLine {
  const named = [...(name === 'user' ? ofUsers : []), ...listWritable(kindOf(name), view)];
  const members = named
    .map((member) => [member, view[member]])
    .filter(([, value]) => value !== undefined && value !== '');
  return { kind: name, ...Object.fromEntries(members) } as unknown as BundleLine;
}

/** Clients that come again by themselves. */
function isLeftOut({ managed_by: managedBy, dynamic, metadata_document: document }: View): boolean {
  return managedBy === 'configuration' || dynamic === true || document !== undefined;
}

function* describeClient(view: View, logo: boolean): Generator<BundleLine> {
  const note = (problem: string): NoteLine => ({ kind: 'note', about: `client ${view.client_id}`, problem });
  if (view.managed_by === 'configuration') return;
  if (isLeftOut(view)) return yield note(view.dynamic === true ? 'registers_itself' : 'has_a_metadata_document');
  const { enabled, ...line } = describe('client', view) as unknown as View;
  const needsSecret = hasSecret(view);
  yield {
    ...line,
    ...(enabled === false && { enabled }),
    // Of a secret that nobody knows: without one the client would be a public one.
    ...(needsSecret && { client_secret_hash: `$gh-made$${randomBytes(32).toString('base64url')}` }),
  } as unknown as BundleLine;
  if (needsSecret) yield note('needs_secret');
  if ((view.ceiling as string[]).length < 3) yield note('has_a_ceiling');
  if (view.previous_secret_expires_at !== undefined) yield note('previous_secret');
  if (logo) yield note('has_a_logo');
}
