import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between one request of a client and its next. */
const thinkingTime = 10;

/** Clients at work, each at its own pace. */
export interface Load {
  /** Steps that went as they should. */
  succeeded(): number;
  /** What did not, in the order of its coming. */
  failures(): readonly Failure[];
  /** Lets every client finish what it is at. */
  stop(): Promise<void>;
}

export interface Failure {
  step: string;
  error: unknown;
  /** As performance.now() tells it. */
  at: number;
}

/** What a client does again and again; rejects where the answer is not the one it wants. */
export type Step = () => Promise<void>;

/** Repeats every step until stopped, one after the other in each, all at the same time. Nothing is tried again. */
export function startLoad(steps: Record<string, Step>): Load {
  const stopping = new AbortController();
  const failures: Failure[] = [];
  let succeeded = 0;
  const repeat = async ([name, step]: [string, Step]) => {
    while (!stopping.signal.aborted) {
      await step().then(
        () => {
          succeeded += 1;
        },
        (error: unknown) => failures.push({ step: name, error, at: performance.now() }),
      );
      await sleep(thinkingTime);
    }
  };
  const working = Promise.all(Object.entries(steps).map(repeat));
  return {
    succeeded: () => succeeded,
    failures: () => failures,
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

/** An answer that is not the one a client wants. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
  readonly status: number;
  readonly answer: { headers: Record<string, string | string[] | undefined>; text: string };

  constructor(answer: { status: number; headers: Record<string, string | string[] | undefined>; text: string }) {
    super(`${answer.status} ${answer.text}`);
    this.status = answer.status;
    this.answer = answer;
  }
}
