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
  report(memory: Record<string, MemoryUse>): { text: string; isGood: boolean };
}

/** Counts answers, and keeps what must not be. */
export function createTally(operations: readonly Operation[]): Tally {
  const byStatus = new Map<string, number>();
  const shown: string[] = [];
  const reached = new Set<string>();
  const counts = { requests: 0, failures: 0, unanswered: 0 };
  const listUnreached = () => {
    const names = operations.map(({ service, method, path }) => `${service} ${method} ${path}`);
    return names.filter((name) => !reached.has(name));
  };
  const count = (status: string) => byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  const show = (what: string, request: FuzzRequest) => {
    if (shown.length < mostShown) shown.push(`${what}\n${describe(request)}`);
  };

  return {
    answered(request, { status, headers, text }) {
      counts.requests += 1;
      if (status < 400) reached.add(`${request.service} ${request.operation}`);
      const isRefusal = status === 503 && headers['retry-after'] !== undefined;
      count(isRefusal ? '503 with Retry-After' : String(status));
      if (status < 500 || isRefusal) return;
      counts.failures += 1;
      show(`answered ${status}: ${text.slice(0, 300)}`, request);
    },
    unanswered(request, reason) {
      counts.requests += 1;
      counts.unanswered += 1;
      count('no answer');
      show(`not answered: ${reason}`, request);
    },
    report(memory) {
      const uses = Object.entries(memory);
      const isBounded = uses.every(([, { peak }]) => peak <= memoryBound);
      const statuses = [...byStatus].sort(([one], [other]) => one.localeCompare(other));
      const lines = [
        `requests: ${counts.requests}`,
        ...statuses.map(([status, number]) => `  ${status}: ${number}`),
        `operations that never did what they were asked to: ${listUnreached().join(', ') || 'none'}`,
        `answers of 500 or above, but 503 with Retry-After: ${counts.failures} (must be 0)`,
        `without an answer within 10 s: ${counts.unanswered} (must be 0)`,
        ...uses.map(
          ([name, { start, peak, end }]) =>
            `memory of ${name}: ${start} MB at the start, ${peak} MB at most (must be ${memoryBound} or less), ${end} MB at the end`,
        ),
        ...shown.map((failure) => `\n${failure}`),
      ];
      return { text: lines.join('\n'), isGood: counts.failures === 0 && counts.unanswered === 0 && isBounded };
    },
  };
}

function describe({ service, method, path, headers, body }: FuzzRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.slice(0, 2_000)}`);
  return [`${service}: ${method} ${path.slice(0, 1_000)}`, ...lines, '', body.slice(0, 3_000)].join('\n');
}
