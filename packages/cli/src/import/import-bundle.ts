import type { Bundle } from '../bundle/open-bundle.ts';
import { beginning } from '../bundle/read-lines.ts';
import type { Apis } from '../project/current.ts';
import type { Checkpoint, Progress } from './checkpoint.ts';
import { createImportObjects } from './import-objects.ts';
import type { ObjectOptions } from './import-one.ts';
import { createImportUsers, type UserOptions } from './import-users.ts';
import { type Item, type ItemKind, itemKinds, type Outcome } from './item.ts';
import { createPlanned } from './planned.ts';
import { type Batch, readBatches } from './read-batches.ts';
import type { Report } from './report.ts';
import { runInOrder } from './run-in-order.ts';

export interface ImportOptions extends UserOptions, ObjectOptions {
  kinds: readonly ItemKind[];
  /** Requests of users at once. */
  parallel: number;
}

/** As many users as a request takes, and of other objects as many as are done between two checkpoints. */
const mostUsers = 500;
const mostObjects = 50;
/** Milliseconds between two words on how far it is. */
const wordEvery = 10_000;

/** Imports a bundle, one kind after the other, from where an import before was cut. Throws a StepError. */
export async function importBundle(
  { apis, report, checkpoint, note }: { apis: Apis; report: Report; checkpoint: Checkpoint; note(text: string): void },
  { path }: Bundle,
  { kinds, parallel, ...options }: ImportOptions,
  progress: Progress | undefined,
): Promise<void> {
  const planned = createPlanned();
  const importUsers = createImportUsers(apis.orgApi, planned, options);
  const importObjects = createImportObjects(apis, planned, options);
  const passes = itemKinds.filter((kind) => kinds.includes(kind));
  let lastWord = Date.now();

  const importKind = async (kind: ItemKind): Promise<void> => {
    const isOfUsers = kind === 'user';
    const batches = readBatches(path, {
      kind,
      tellsOthers: kind === passes[0],
      from: kind === progress?.kind ? progress.from : beginning,
      mostLines: isOfUsers ? mostUsers : mostObjects,
    });
    const importItems: (items: readonly Item[]) => Promise<Outcome[]> = isOfUsers ? importUsers : importObjects;
    const finish = ({ told, end }: Batch, outcomes: Outcome[]) => {
      report.add([...told, ...outcomes].sort((some, other) => some.line - other.line));
      checkpoint.write({ kind, from: end, report: report.state() });
      if (Date.now() - lastWord < wordEvery) return;
      note(`${kind}s up to line ${end.line} are done`);
      lastWord = Date.now();
    };
    await runInOrder(batches, isOfUsers ? parallel : 1, ({ items }) => importItems(items), finish);
  };

  if (progress !== undefined) note(`goes on behind line ${progress.from.line}, with ${progress.kind}s`);
  const first = progress === undefined ? 0 : passes.indexOf(progress.kind);
  for (const kind of passes.slice(first)) await importKind(kind);
}
