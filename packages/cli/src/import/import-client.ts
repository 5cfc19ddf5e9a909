import { foldName } from '../bundle/fold-name.ts';
import { type Api, ApiError, type FieldFault, readIfThere } from '../connection/api.ts';
import type { View } from '../project/compare.ts';
import { concludeExisting, type ImportOne, type ObjectOptions, omit, projectMembers } from './import-one.ts';
import { conclude, nameOf } from './item.ts';
import { chooseWrap, readPasswordHash } from './password-hash.ts';
import { type Planned, withoutPlannedResources } from './planned.ts';

interface PreviousSecret {
  hash: string;
  /** Seconds for which it works on; 0 where its time is over. */
  worksFor: number;
}

/** A line that is a client, as it is sent. */
interface ReadClient {
  /** The registration, with its secret. */
  body: Record<string, unknown>;
  /** The secret before, where it can be checked here. */
  previous: PreviousSecret | undefined;
  isDisabled: boolean;
  notes: readonly FieldFault[];
}

/** Members of a client that its view does not show. */
const secrets = ['client_secret', 'client_secret_hash', 'previous_client_secret_hash', 'previous_secret_expires_at'];
/** Seconds for which a service lets the secret before work at most. */
const longestGrace = 30 * 86_400;
/** A secret that a server made, as its exports have it. */
const madeSecret = /^\$gh-made\$/;
const previousLeftOut = {
  field: 'previous_client_secret_hash',
  detail: 'is left out: this form cannot be checked here',
};

/** Makes the function that imports a client. One that is there stays as it is, unless its import was cut. */
export function createImportClient(authServer: Api, planned: Planned, options: ObjectOptions): ImportOne {
  const { isDryRun, orgApi } = options;
  const wrap = chooseWrap(options);

  const register = async ({ body, previous }: ReadClient): Promise<void> => {
    // The secret before comes first: the one after it makes it the previous one.
    const first = previous === undefined ? body : { ...omit(body, secrets), client_secret_hash: previous.hash };
    const sent = isDryRun ? withoutPlannedResources(planned, first, orgApi) : first;
    const query = { dry_run: isDryRun ? 'true' : undefined };
    await authServer({ method: 'POST', path: '/clients', query, body: sent }).catch((error: unknown) => {
      if (!lacksPlannedRobot(error, body, planned)) throw error;
    });
  };
  const putSecret = async (own: string, { body, previous }: ReadClient): Promise<void> => {
    if (previous === undefined || isDryRun) return;
    const { client_secret: secret, client_secret_hash: hash } = body;
    const replacement = { client_secret: secret, client_secret_hash: hash, grace_seconds: previous.worksFor };
    await authServer({ method: 'POST', path: `${own}/secret`, body: replacement });
  };

  return async (item) => {
    const [clientId, members] = [nameOf(item), omit(item.members, projectMembers)];
    const own = `/clients/${encodeURIComponent(clientId)}`;
    // Of a name that cannot be one the registration says what is wrong.
    const view = clientId === '' ? undefined : (await readIfThere(authServer, own, [400, 404]))?.body;
    const read = await readClient(members, wrap);
    if (view !== undefined) {
      if (hasFirstSecret(view)) await putSecret(own, read);
      return concludeExisting(item, omit(members, secrets), view);
    }
    await register(read);
    await putSecret(own, read);
    // A registration takes no `enabled`.
    if (read.isDisabled && !isDryRun) await authServer({ method: 'PATCH', path: own, body: { enabled: false } });
    return conclude(item, 'created', read.notes);
  };
}

async function readClient(members: View, wrap: ReturnType<typeof chooseWrap>): Promise<ReadClient> {
  const { enabled, previous_client_secret_hash: given, previous_secret_expires_at: until, ...rest } = members;
  const { client_secret_hash: hash, ...others } = rest;
  const known = typeof given === 'string' ? await readSecretHash(given, wrap) : undefined;
  return {
    body: {
      ...others,
      // A client is never left without a secret: a hash that nobody knows is sent as it is, and the service refuses it.
      ...(hash !== undefined && { client_secret_hash: typeof hash === 'string' ? await wrapKnown(hash, wrap) : hash }),
      ...(enabled !== undefined && typeof enabled !== 'boolean' && { enabled }),
    },
    previous: known === undefined ? undefined : { hash: known, worksFor: readGrace(until) },
    isDisabled: enabled === false,
    notes: given !== undefined && known === undefined ? [previousLeftOut] : [],
  };
}

async function wrapKnown(hash: string, wrap: ReturnType<typeof chooseWrap>): Promise<string> {
  return (await readSecretHash(hash, wrap)) ?? hash;
}

/** Undefined where the service would not know it. */
async function readSecretHash(hash: string, wrap: ReturnType<typeof chooseWrap>): Promise<string | undefined> {
  return madeSecret.test(hash) ? hash : (await readPasswordHash(hash, wrap)).sent;
}

/** Seconds until an instant of a line, in which a secret works on: all that a service gives where the line has none. */
function readGrace(until: unknown): number {
  const end = typeof until === 'string' ? Date.parse(until) : Number.NaN;
  if (Number.isNaN(end)) return longestGrace;
  return Math.min(longestGrace, Math.max(0, Math.floor((end - Date.now()) / 1000)));
}

/** Whether a client has the secret that it was registered with, and no other. So has one whose import was cut between its two. */
function hasFirstSecret({
  created_at: created,
  secret_set_at: set,
  previous_secret_expires_at: before,
}: View): boolean {
  return set === created && before === undefined;
}

/** Whether a dry run refused a client for its Robot alone, which would have been made. */
function lacksPlannedRobot(error: unknown, { srvc_ac_user_name: robot }: View, { robots }: Planned): boolean {
  if (!(error instanceof ApiError) || typeof robot !== 'string' || !robots.has(foldName(robot))) return false;
  return error.faults.every(({ field }) => field === 'srvc_ac_user_name');
}
