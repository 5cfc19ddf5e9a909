import type { FuzzRequest } from './fuzz-request.ts';
import type { MemoryUse } from './memory.ts';
import type { Operation } from './operations.ts';

/** Megabytes that a service may have in memory at any time of a run, however long. */
export const memoryBound = 768;
/** Failures that are shown in full. */
const mostShown = 10;

export interface Tally {
  answered(request: FuzzRequest, answer: { status: number; headers: Record<string, unknown>; text: string }): void;
  /** No answer at all: it took too long, or the connection broke. */
  unanswered(request: FuzzRequest, reason: string): void;
  /** `faults`: errors that the services logged. */
  report(memory: Record<string, MemoryUse>, faults: readonly string[]): { text: string; isGood: boolean };
}

/** Counts answers, and keeps what must not be. */
export function createTally(operations: readonly Operation[]): Tally {
  const byStatus = new Map<string, number>();
  const byFamily = new Map<string, Map<string, number>>();
  const byProof = new Map<string, number>();
  const shown: string[] = [];
  const reached = new Set<string>();
  const counts = { requests: 0, failures: 0, unanswered: 0 };
  const listUnreached = () => {
    const names = operations.map(({ service, method, path }) => `${service} ${method} ${path}`);
    return names.filter((name) => !reached.has(name));
  };
  const count = (request: FuzzRequest, status: string) => {
    add(byStatus, status);
    const family = `${request.service} /${request.operation.split('/')[1]}`;
    const statuses = byFamily.get(family) ?? new Map<string, number>();
    byFamily.set(family, statuses);
    add(statuses, /^\d{3}$/.test(status) ? `${status[0]}xx` : status);
    const { path, body } = request;
    for (const [, name = ''] of `${path} ${body}`.matchAll(proofPattern)) add(byProof, name);
  };
  const show = (what: string, request: FuzzRequest) => {
    if (shown.length < mostShown) shown.push(`${what}\n${describe(request)}`);
  };

  return {
    answered(request, { status, headers, text }) {
      counts.requests += 1;
      if (status < 400) reached.add(`${request.service} ${request.operation}`);
      const isRefusal = status === 503 && headers['retry-after'] !== undefined;
      count(request, isRefusal ? '503 with Retry-After' : String(status));
      if (status < 500 || isRefusal) return;
      counts.failures += 1;
      show(`answered ${status}: ${text.slice(0, 300)}`, request);
    },
    unanswered(request, reason) {
      counts.requests += 1;
      counts.unanswered += 1;
      count(request, 'no answer');
      show(`not answered: ${reason}`, request);
    },
    report(memory, faults) {
      const uses = Object.entries(memory);
      const isBounded = uses.every(([, { peak }]) => peak <= memoryBound);
      const statuses = [...byStatus].sort(([one], [other]) => one.localeCompare(other));
      const lines = [
        `requests: ${counts.requests}`,
        ...statuses.map(([status, number]) => `  ${status}: ${number}`),
        'by the beginning of the path:',
        ...[...byFamily].sort().map(([family, numbers]) => `  ${family}: ${list(numbers)}`),
        `members: ${list(byProof)}`,
        `operations that never did what they were asked to: ${listUnreached().join(', ') || 'none'}`,
        `answers of 500 or above, but 503 with Retry-After: ${counts.failures} (must be 0)`,
        `errors that the services logged, but for overload: ${faults.join('; ') || 'none'} (must be none)`,
        `without an answer within 10 s: ${counts.unanswered} (must be 0)`,
        ...uses.map(
          ([name, { start, peak, end }]) =>
            `memory of ${name}: ${start} MB at the start, ${peak} MB at most (must be ${memoryBound} or less), ${end} MB at the end`,
        ),
        ...shown.map((failure) => `\n${failure}`),
      ];
      const hasNone = counts.failures === 0 && counts.unanswered === 0 && faults.length === 0;
      return { text: lines.join('\n'), isGood: hasNone && isBounded };
    },
  };
}

/** Members of forms, queries and JSON that prove something. */
const proofPattern = /[&?{, "](credential|code|pending|token)(?="?[=:])/g;

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function list(counts: Map<string, number>): string {
  return [...counts]
    .sort()
    .map(([name, number]) => `${name} ${number}`)
    .join(', ');
}

function describe({ service, method, path, headers, body }: FuzzRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.slice(0, 2_000)}`);
  return [`${service}: ${method} ${path.slice(0, 1_000)}`, ...lines, '', body.slice(0, 3_000)].join('\n');
}
