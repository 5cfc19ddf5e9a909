import { discardBody, type Fetch, readText } from '../fetch.ts';
import { longestStatusList } from './status-list.ts';

/** The answer of the server. */
export interface FetchedList {
  /** Absent where `etag` still names the list in hand. */
  text?: string;
  etag?: string | undefined;
  /** Whether the server was willing to wait for a change before it answered (RFC 7240 3). */
  waited?: boolean;
}

/** A request that the server may answer when the list changes. */
export interface Waiting {
  /** Seconds. */
  seconds: number;
  /** Ends the wait. */
  signal: AbortSignal;
}

/** Fetches a list unless `etag` names it. Rejects where the server is out of reach. */
export type FetchStatusList = (uri: string, etag: string | undefined, waiting?: Waiting) => Promise<FetchedList>;

/** Milliseconds: for an answer, and in addition to a wait. */
const timeout = 2_000;
const patience = 5_000;

/** Fetches over HTTP. Follows no redirect. */
export function createFetchStatusList(fetch: Fetch): FetchStatusList {
  const ask = async (uri: string, headers: Record<string, string>, signal: AbortSignal): Promise<FetchedList> => {
    const answer = await fetch(uri, { headers, signal, redirect: 'manual' });
    const waited = hasApplied(answer.headers.get('preference-applied'), 'wait');
    if (answer.status === 200) {
      const text = await readText(answer, longestStatusList);
      return { text, etag: answer.headers.get('etag') ?? undefined, waited };
    }
    await discardBody(answer);
    if (answer.status === 304) return { waited };
    throw new Error(`the status list answered ${answer.status}`);
  };

  return (uri, etag, waiting) => {
    const headers: Record<string, string> = { accept: 'application/statuslist+jwt' };
    if (etag !== undefined) headers['if-none-match'] = etag;
    if (waiting === undefined) return ask(uri, headers, AbortSignal.timeout(timeout));
    headers.prefer = `wait=${waiting.seconds}`;
    return withDeadline(waiting, (signal) => ask(uri, headers, signal));
  };
}

/** Ends the request with the wait, and after its time. Not by `AbortSignal.any`, which keeps each signal as long as the wait lives. */
async function withDeadline<T>({ seconds, signal }: Waiting, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const request = new AbortController();
  const end = () => request.abort(new Error('the status list was not answered in time'));
  const timer = setTimeout(end, seconds * 1000 + patience).unref();
  signal.addEventListener('abort', end);
  try {
    return await work(request.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** RFC 7240 3: whether the list of applied preferences has this one. */
function hasApplied(header: string | null, preference: string): boolean {
  return (header ?? '').split(',').some((entry) => entry.split(/[=;]/, 1)[0]?.trim().toLowerCase() === preference);
}
