import { setTimeout as sleep } from 'node:timers/promises';
import { StepError } from '../failures.ts';
import { isMap } from '../is-map.ts';

/** An answer, read whole. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  text: string;
}

/** Sends a request. `prepare` is called for each try: a proof works once. Throws a StepError where no answer comes. */
export type Send = (step: string, url: string, prepare?: () => RequestInit) => Promise<Answer>;

interface Options {
  /** Seconds until a request counts as unanswered. */
  timeout: number;
  note: (text: string) => void;
}

const mostTries = 5;

/** Waits as long as a server asks for that has no room (429, 503), and then tries again. Follows no redirect. */
export function createSend({ timeout, note }: Options): Send {
  const trySend: Send = async (step, url, prepare = () => ({})) => {
    try {
      const signal = AbortSignal.timeout(timeout * 1000);
      const response = await fetch(url, { redirect: 'manual', signal, ...prepare() });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
    } catch (error) {
      throw new StepError(step, `${url} ${describe(error, timeout)}`);
    }
  };
  return async (step, url, prepare) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await trySend(step, url, prepare);
      const hasNoRoom = answer.status === 429 || answer.status === 503;
      if (!hasNoRoom || tries === mostTries) return answer;
      const seconds = readRetryAfter(answer.headers) ?? 2 ** (tries - 1);
      note(`${step}: ${url} answered ${answer.status}; the next try is in ${seconds} s`);
      await sleep(seconds * 1000);
    }
  };
}

function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

function describe(error: unknown, timeout: number): string {
  if (!(error instanceof Error)) return 'is out of reach';
  if (error.name === 'TimeoutError') return `did not answer within ${timeout} s`;
  const cause = error.cause instanceof Error ? error.cause : error;
  return `is out of reach (${'code' in cause ? String(cause.code) : cause.message})`;
}

/** The members of a JSON object; none where the text is no such document. */
export function readMembers(text: string): Record<string, unknown> {
  return readObject(text) ?? {};
}

/** A JSON object; undefined where the text is none. */
export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
