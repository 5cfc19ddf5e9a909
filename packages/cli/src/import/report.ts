import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import type { FieldFault } from '../connection/api.ts';
import { StepError } from '../failures.ts';
import type { Output } from '../output.ts';
import { toTerminalText } from '../terminal-text.ts';
import { type ItemKind, itemKinds, type Outcome, type Result, results } from './item.ts';

type Count = Partial<Record<Result, number>>;

/** How many lines had which result. `lines` are those that are no object. */
export type Sums = Partial<Record<`${ItemKind | 'line'}s`, Count>> & { notes: number };

/** The state of a report, from which the next run goes on. */
export interface ReportState {
  sums: Sums;
  /** Of the file. */
  bytes: number;
}

export type Report = ReturnType<typeof createReport>;

/**
 * Tells of each line that was refused, changed something that was there, or has a note, and in the end the sums. With a file
 * (mode 0600) the lines stand there, as JSON Lines with `json`; else on stdout.
 */
export function createReport(
  output: Output,
  options: { file: string | undefined; json: boolean; isDryRun: boolean },
  before: ReportState = { sums: { notes: 0 }, bytes: 0 },
) {
  const { json, isDryRun } = options;
  const file = options.file === undefined ? undefined : openReportFile(options.file, before.bytes);
  const sums: Sums = structuredClone(before.sums);
  const kept: object[] = [];
  const tell = (outcome: Outcome) => {
    if (file !== undefined) file.write(json ? JSON.stringify(show(outcome)) : formatOutcome(outcome));
    else if (json) kept.push(show(outcome));
    else output.print(undefined, formatOutcome(outcome));
  };
  return {
    add(outcomes: readonly Outcome[]): void {
      for (const outcome of outcomes) {
        count(sums, outcome);
        if (isTold(outcome)) tell(outcome);
      }
    },
    state: (): ReportState => ({ sums, bytes: file?.size() ?? 0 }),
    /** Writes the sums; gives how many lines were refused. */
    end(): number {
      const text = formatSums(sums, isDryRun);
      file?.write(json ? JSON.stringify({ dryRun: isDryRun, sums }) : text);
      output.print({ dryRun: isDryRun, ...(file === undefined && { lines: kept }), sums }, text);
      return [...itemKinds, 'line' as const].reduce((sum, kind) => sum + (sums[`${kind}s`]?.refused ?? 0), 0);
    },
    close: () => file?.close(),
  };
}

function isTold({ result, problems }: Outcome): boolean {
  return result === 'refused' || result === 'updated' || problems.length > 0;
}

function count(sums: Sums, { kind, result }: Outcome): void {
  if (kind === 'note' || result === 'note') {
    sums.notes += 1;
    return;
  }
  const ofKind: Count = sums[`${kind}s`] ?? {};
  ofKind[result] = (ofKind[result] ?? 0) + 1;
  sums[`${kind}s`] = ofKind;
}

function show({ line, result, about, problems }: Outcome): object {
  return { line, result, about, ...(problems.length > 0 && { problems }) };
}

function formatOutcome({ line, result, about, problems }: Outcome): string {
  const reasons = problems.map(({ field, detail }: FieldFault) => `${field} ${detail}`.trim());
  const text = [`line ${line}: ${result} ${about}`.trimEnd(), ...(reasons.length > 0 ? [reasons.join('; ')] : [])];
  // Another realm let strangers choose these names.
  return text.join(': ').replaceAll('\n', '\\u000a');
}

function formatSums({ notes, ...sums }: Sums, isDryRun: boolean): string {
  const lines = [...itemKinds, 'line' as const].flatMap((kind) => {
    const { [`${kind}s` as const]: ofKind } = sums;
    if (ofKind === undefined) return [];
    const parts = results.filter((result) => ofKind[result] !== undefined);
    return [`${kind}s: ${parts.map((result) => `${ofKind[result]} ${result}`).join(', ')}`];
  });
  return [
    ...(isDryRun ? ['dry run: nothing was changed'] : []),
    ...(lines.length === 0 ? ['nothing to import'] : lines),
    ...(notes === 0 ? [] : [`notes: ${notes}`]),
  ].join('\n');
}

/** Opens a file that the user of this machine alone can read; what stands behind the bytes before is cut. */
function openReportFile(path: string, bytesBefore: number) {
  const descriptor = open(path);
  fchmodSync(descriptor, 0o600);
  let size = Math.min(bytesBefore, fstatSync(descriptor).size);
  ftruncateSync(descriptor, size);
  return {
    write(text: string): void {
      size += writeSync(descriptor, `${toTerminalText(text)}\n`, size);
    },
    size: () => size,
    close: () => closeSync(descriptor),
  };
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    throw new StepError('report', `${path} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
