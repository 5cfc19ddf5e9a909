import { randomBytes } from 'node:crypto';
import { listEach } from '../connection/api.ts';
import { listWritable, type View } from '../project/compare.ts';
import type { Apis } from '../project/current.ts';
import { hasSecret } from '../project/export-project.ts';
import { kindOf } from '../project/kinds.ts';
import type { BundleLine, NoteLine } from './bundle-line.ts';

/** Lists the lines of a bundle of all that an administrator sees of a deployment. Its organization API comes from the configuration. */
export async function* listDeployment(apis: Apis, organization: string): AsyncGenerator<BundleLine> {
  for (const name of ['resource', 'group', 'user', 'client'] as const) {
    const kind = kindOf(name);
    const path = kind.path.replace(/\/userId$/, '');
    for await (const view of listEach(apis[kind.service], { path }, kind.many)) {
      if (name === 'client') yield* describeClient(view);
      else if (view.resource !== organization) yield describe(name, view);
    }
  }
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

function* describeClient(view: View): Generator<BundleLine> {
  const note = (problem: string): NoteLine => ({ kind: 'note', about: `client ${view.client_id}`, problem });
  if (view.managed_by === 'configuration') return;
  if (view.dynamic === true) return yield note('registers_itself');
  if (view.metadata_document !== undefined) return yield note('has_a_metadata_document');
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
}
