import type { Logger } from '@gatehouse/service-kit';
import type { Counter } from '@gatehouse/service-kit/metrics';
import type { Dispatcher } from 'undici';
import { type CallSlots, type CallSlotsOptions, createCallSlots } from './call-slots.ts';
import { OutboundFailure, type OutboundFault, outboundFaults } from './outbound-failure.ts';
import type { OutboundRule } from './outbound-rule.ts';

/** The uses of calls to addresses of others, for the metrics. */
export const purposes = ['jwks', 'request_object', 'issuer_metadata', 'client_document', 'upstream'] as const;
export type Purpose = (typeof purposes)[number];

/**
 * The part of the calls at once that a call belongs to: no part takes the slots of another. Of strangers is what nobody vouches for
 * that anybody can make this server call.
 */
export type Share = 'registered' | 'strangers' | 'upstreams';

/** A question, by GET where it says nothing else. */
export interface Question {
  purpose: Purpose;
  url: string;
  /** `registered` where it is left out. */
  share?: Share | undefined;
  method?: 'GET' | 'POST' | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
  /** The media types that are asked for, and what a type of the answer must look like. */
  accept: string;
  mediaType: RegExp;
  /** Bytes of an answer. */
  mostBytes: number;
  /** Milliseconds until all of the answer is there; 5,000 where it is left out. */
  within?: number | undefined;
  /** Whether an error is an answer, too. A redirect never is. */
  takesErrors?: boolean | undefined;
}

export interface OutboundAnswer {
  status: number;
  mediaType: string;
  body: Buffer;
  /** Seconds of `Cache-Control: max-age`; 0 where it may not be kept; undefined where the answer says nothing. */
  maxAge: number | undefined;
}

/** Asks an address of others. Throws an {@link OutboundFailure}. */
export type Call = (question: Question) => Promise<OutboundAnswer>;

const answered = 'answered';
const outcomeOf = (fault: OutboundFault) => fault.replace(' ', '_');

/** How a call can end, for the metrics. */
export const outcomes = [answered, ...outboundFaults.map(outcomeOf)];

/** Which addresses are called, and how. */
interface Way {
  rule: OutboundRule;
  openConnection: (url: URL) => Dispatcher;
}

interface Dependencies {
  ways: Readonly<Record<Share, Way>>;
  requests: Counter;
  log: Pick<Logger, 'warn'>;
}

/** Milliseconds until the head of an answer is there, connecting included, and until all of it is. */
const headWithin = 3_000;
const answerWithin = 5_000;

/**
 * Calls under way at once, 50 in all of a process. Many users may sign in at one upstream at the same moment, so these calls wait for
 * a slot, and one upstream that does not answer leaves some to the others.
 */
const bounds: Readonly<Record<Share, CallSlotsOptions>> = {
  registered: { most: 15, mostOfHost: 5, waits: false },
  strangers: { most: 10, mostOfHost: 5, waits: false },
  upstreams: { most: 25, mostOfHost: 20, waits: true },
};

export function createCall({ ways, requests, log }: Dependencies): Call {
  const slots: Readonly<Record<Share, CallSlots>> = {
    registered: createCallSlots(bounds.registered),
    strangers: createCallSlots(bounds.strangers),
    upstreams: createCallSlots(bounds.upstreams),
  };

  const ask = async (question: Question): Promise<OutboundAnswer> => {
    const { share = 'registered' } = question;
    const { rule, openConnection } = ways[share];
    const url = rule.parse(question.url);
    const deadline = createDeadline();
    const all = deadline.endAfter(question.within ?? answerWithin);
    try {
      const free = await slots[share].take(nameHost(url), deadline.signal);
      try {
        return await readAnswer(openConnection(url), url, question, deadline);
      } finally {
        free();
      }
    } finally {
      clearTimeout(all);
    }
  };

  return async (question) => {
    try {
      const answer = await ask(question);
      requests.add([question.purpose, answered]);
      return answer;
    } catch (error) {
      const failure = toFailure(error);
      requests.add([question.purpose, outcomeOf(failure.fault)]);
      // A query may hold what lets its bearer read.
      const [url] = question.url.split(/[?#]/, 1);
      log.warn({ purpose: question.purpose, url, reason: failure.message }, 'a call to others failed');
      throw failure;
    }
  };
}

/** Each port, and the same name with a dot behind it, is the same host. */
function nameHost({ hostname }: URL): string {
  return hostname.replace(/\.$/, '');
}

type Deadline = ReturnType<typeof createDeadline>;

function createDeadline() {
  const controller = new AbortController();
  const end = () => controller.abort(new Error('no answer in time'));
  return { signal: controller.signal, endAfter: (after: number) => setTimeout(end, after) };
}

async function readAnswer(connection: Dispatcher, url: URL, question: Question, { signal, endAfter }: Deadline) {
  const head = endAfter(headWithin);
  const read = async () => {
    const answer = await sendQuestion(connection, url, question, signal);
    clearTimeout(head);
    return checkAnswer(answer, question);
  };
  try {
    // The library looks at the signal only once it is connected.
    return await Promise.race([read(), rejectOnAbort(signal)]);
  } finally {
    clearTimeout(head);
    connection.destroy().catch(() => {});
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function sendQuestion(connection: Dispatcher, url: URL, question: Question, signal: AbortSignal) {
  return connection.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: question.method ?? 'GET',
    headers: {
      ...question.headers,
      ...{ accept: question.accept, 'accept-encoding': 'identity', 'user-agent': 'gatehouse' },
    },
    ...(question.body !== undefined && { body: question.body }),
    signal,
  });
}

async function checkAnswer(answer: Dispatcher.ResponseData, question: Question): Promise<OutboundAnswer> {
  const { statusCode, headers, body } = answer;
  // The connection is closed on what is not read.
  body.on('error', () => {});
  const fault = findHeadFault(statusCode, headers, question);
  if (fault !== undefined) throw new OutboundFailure('bad answer', fault);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > question.mostBytes) throw new OutboundFailure('bad answer', `more than ${question.mostBytes} bytes`);
    chunks.push(chunk);
  }
  return {
    status: statusCode,
    mediaType: readMediaType(headers),
    body: Buffer.concat(chunks),
    maxAge: readMaxAge([headers['cache-control']].flat().join(',')),
  };
}

type Headers = Dispatcher.ResponseData['headers'];

function readMediaType(headers: Headers): string {
  const [type = ''] = String(headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

function findHeadFault(status: number, headers: Headers, { mediaType, takesErrors = false }: Question) {
  if (status !== 200 && !(takesErrors && status >= 400)) return `status ${status}`;
  if (!mediaType.test(readMediaType(headers))) return 'another media type';
  const { 'content-encoding': encoding = 'identity' } = headers;
  return encoding === 'identity' ? undefined : 'a content encoding, which was not asked for';
}

/** RFC 9111 5.2.2. */
function readMaxAge(cacheControl: string): number | undefined {
  if (/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/i.test(cacheControl)) return 0;
  const [, seconds] = /(?:^|[\s,])max-age="?(\d{1,10})/i.exec(cacheControl) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** A rule that an address broke while it was dialled comes as the cause of another error. */
function toFailure(error: unknown): OutboundFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutboundFailure) return cause;
  }
  const { code, message } = error as { code?: string; message?: string };
  return new OutboundFailure('unreachable', code ?? message ?? 'not reached', { cause: error });
}
