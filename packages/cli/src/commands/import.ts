import { resolve } from 'node:path';
import { openBundle } from '../bundle/open-bundle.ts';
import type { Call, Command } from '../command.ts';
import { exitCodes, StepError, UsageError } from '../failures.ts';
import { createCheckpoint } from '../import/checkpoint.ts';
import { type ImportOptions, importBundle } from '../import/import-bundle.ts';
import { itemKinds } from '../import/item.ts';
import { createReport } from '../import/report.ts';

export const importCommand: Command = {
  words: ['import'],
  args: ['BUNDLE'],
  summary: 'import users, groups, clients and resources of another server',
  options: {
    ...{ 'dry-run': 'boolean', 'on-existing': 'string', only: 'string', 'allow-roles': 'boolean', weak: 'string' },
    ...{ report: 'string', checkpoint: 'string', parallel: 'string' },
  },
  async run(call) {
    const options = readOptions(call);
    try {
      const refused = await importFile(call, options);
      return refused === 0 ? exitCodes.done : exitCodes.toRead;
    } catch (error) {
      throw error instanceof StepError ? error.more('to do it again is safe') : error;
    }
  },
};

type ReadOptions = Omit<ImportOptions, 'orgApi'>;

/** Gives how many lines were refused. */
async function importFile(call: Call, read: ReadOptions): Promise<number> {
  const { args, options: given, output, discover, connect } = call;
  const bundle = await openBundle(String(args[0]));
  const { issuer, orgApi } = await discover();
  const { parallel: _speed, ...which } = read;
  const checkpoint = createCheckpoint(textOf(call, 'checkpoint'), { bundle: bundle.digest, issuer, options: which });
  const progress = checkpoint.read();
  const apis = await connect();
  const form = { file: textOf(call, 'report'), json: given.output === 'json', isDryRun: read.isDryRun };
  const report = createReport(output, form, progress?.report);
  try {
    const parts = { apis, report, checkpoint, note: output.note };
    await importBundle(parts, bundle, { ...read, orgApi }, progress);
    checkpoint.remove();
    return report.end();
  } finally {
    report.close();
  }
}

function textOf({ options }: Call, name: string): string | undefined {
  return typeof options[name] === 'string' ? options[name] : undefined;
}

/** Throws a UsageError. */
function readOptions(call: Call): ReadOptions {
  const { options } = call;
  const { 'on-existing': onExisting = 'skip', weak, parallel = '2', checkpoint } = options;
  const isDryRun = options['dry-run'] === true;
  if (onExisting !== 'skip' && onExisting !== 'update') throw new UsageError('--on-existing takes skip or update');
  if (weak !== undefined && weak !== 'wrap') throw new UsageError('--weak takes wrap');
  if (parallel !== '1' && parallel !== '2') throw new UsageError('--parallel takes 1 or 2');
  checkFiles(call);
  if (isDryRun && checkpoint !== undefined)
    throw new UsageError('--dry-run changes nothing, and takes no --checkpoint');
  return {
    ...{ isDryRun, onExisting, allowRoles: options['allow-roles'] === true, wrapsWeak: weak === 'wrap' },
    ...{ kinds: readKinds(textOf(call, 'only')), parallel: Number(parallel) },
  };
}

/** Two of them are written. */
function checkFiles(call: Call): void {
  const files = [String(call.args[0]), textOf(call, 'report'), textOf(call, 'checkpoint')].flatMap((file) =>
    file === undefined ? [] : resolve(file),
  );
  if (new Set(files).size < files.length) throw new UsageError('BUNDLE, --report and --checkpoint are different files');
}

function readKinds(only: string | undefined): ReadOptions['kinds'] {
  if (only === undefined) return itemKinds;
  const words = only.split(',');
  const known = itemKinds.map((kind) => `${kind}s`);
  if (words.some((word) => !known.includes(word))) throw new UsageError(`--only takes some of ${known.join(', ')}`);
  return itemKinds.filter((kind) => words.includes(`${kind}s`));
}
