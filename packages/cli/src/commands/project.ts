import { listDeployment } from '../bundle/list-deployment.ts';
import { formatSums, writeBundle } from '../bundle/write-bundle.ts';
import type { Call, Command } from '../command.ts';
import { type ExitCode, exitCodes, StepError, UsageError } from '../failures.ts';
import { applyChange } from '../project/apply.ts';
import { exportProject } from '../project/export-project.ts';
import { type Change, makePlan } from '../project/plan.ts';
import type { Project } from '../project/project.ts';
import { readProject } from '../project/read-project.ts';
import { describePlan, formatChange, formatPlan } from '../project/show-plan.ts';

const plan: Command = {
  words: ['plan'],
  summary: 'say what the files of a project would change; --diff shows the values',
  options: { file: 'list', project: 'string', diff: 'boolean', prune: 'boolean', adopt: 'boolean' },
  async run(call) {
    const { options, output } = call;
    const { project, changes } = await planProject(call);
    const text = formatPlan(changes, { values: options.diff === true, prunes: options.prune === true });
    output.print(describePlan(project.name, changes), text);
    return changes.length === 0 ? exitCodes.done : exitCodes.toRead;
  },
};

const apply: Command = {
  words: ['apply'],
  summary: 'change the services to what the files say',
  options: { file: 'list', project: 'string', prune: 'boolean', adopt: 'boolean' },
  async run(call) {
    const { options, output, connect, confirm } = call;
    const prunes = options.prune === true;
    const { project, changes: all } = await planProject(call);
    const changes = all.filter(({ action }) => action !== 'delete' || prunes);
    const foreign = changes.find(({ action }) => action === 'foreign');
    if (foreign !== undefined) throw new StepError('plan', formatChange(foreign, prunes).slice(2));
    if (changes.some(({ action }) => action === 'delete')) {
      output.ask(formatPlan(changes, { values: false, prunes }));
      await confirm('Apply this, with its deletions?');
    }
    const apis = await connect();
    const formatDone = (changes: readonly Change[]) => changes.map((change) => formatChange(change, prunes));
    const done: Change[] = [];
    try {
      for (const change of changes) {
        await applyChange(apis, project, change);
        done.push(change);
      }
    } catch (error) {
      const sum = `${done.length} of ${changes.length} changes were made; apply again to go on`;
      throw error instanceof StepError ? error.more(sum).below(formatDone(done)) : error;
    }
    for (const line of formatDone(done)) output.note(line);
    output.print(
      describePlan(project.name, done),
      done.length === 1 ? '1 change was made' : `${done.length} changes were made`,
    );
    return exitCodes.done;
  },
};

const exportFiles: Command = {
  words: ['export'],
  summary:
    'write the files of a project from what the services have; secrets come out as variables to set. Or --bundle FILE of users, groups, clients and resources',
  options: { project: 'string', out: 'string', 'managed-only': 'boolean', bundle: 'string' },
  async run(call): Promise<ExitCode> {
    const { options, output, connect } = call;
    const { project, out, 'managed-only': managedOnly = false, bundle } = options;
    if (typeof bundle === 'string') return exportBundle(call, bundle);
    if (typeof project !== 'string' || !/^(?!configuration$)[a-z0-9-]{1,64}$/.test(project)) {
      throw new UsageError('--project takes 1–64 characters of a-z, 0-9 and -');
    }
    if (typeof out !== 'string') throw new UsageError('--out names the folder to write into');
    const request = { project, folder: out, managedOnly: managedOnly === true };
    const files = await exportProject(await connect(), request);
    output.print({ files }, files.join('\n'));
    return exitCodes.done;
  },
};

/** Without secrets, hashes and methods, which no service gives over HTTP. */
async function exportBundle({ options, output, discover, connect }: Call, path: string): Promise<ExitCode> {
  if (Object.keys(options).some((name) => ['project', 'out', 'managed-only'].includes(name))) {
    throw new UsageError('--bundle has all objects, and goes with no other option');
  }
  const { issuer, orgApi } = await discover();
  const source = { product: 'gatehouse', realm: issuer } as const;
  const sums = await writeBundle(path, { source, now: new Date(), lines: listDeployment(await connect(), orgApi) });
  output.print({ bundle: path, ...sums }, formatSums(path, sums));
  return sums.lines.note === 0 ? exitCodes.done : exitCodes.toRead;
}

/** All files are checked, and all references read, before the first request. */
async function planProject({ options, environment, connect }: Call): Promise<{ project: Project; changes: Change[] }> {
  const { file, project: named, adopt = false } = options;
  if (!Array.isArray(file)) throw new UsageError('name the files of the project: -f FILE, or -f FOLDER');
  const project = readProject(file, environment, typeof named === 'string' ? named : undefined);
  return { project, changes: await makePlan(await connect(), project, { adopts: adopt === true }) };
}

export const projectCommands = [plan, apply, exportFiles];
