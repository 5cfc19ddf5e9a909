import { type Dispatcher, request } from 'undici';

/** Seconds for which a reader asks to wait, as the package `@gatehouse/resource-server` does. */
const seconds = 25;

/** A list that a reader has in hand. */
export interface ListInHand {
  status: number;
  etag: string;
  /** Whether the answer was allowed to wait (RFC 7240 3). */
  waited: boolean;
}

export interface ReaderOptions {
  /** Connections of the reader. */
  dispatcher: Dispatcher;
  /** The forwarded address of the reader. */
  address?: string;
}

/** Asks for a list at once. */
export function readStatusList(url: string, options: ReaderOptions): Promise<ListInHand> {
  return ask(url, {}, options);
}

/** Waits for a list to be another than the one in hand, or for the time to be over. */
export function awaitStatusList(url: string, { etag }: ListInHand, options: ReaderOptions): Promise<ListInHand> {
  return ask(url, { prefer: `wait=${seconds}`, 'if-none-match': etag }, options);
}

async function ask(
  url: string,
  conditions: Record<string, string>,
  { dispatcher, address }: ReaderOptions,
): Promise<ListInHand> {
  const forwarded = address === undefined ? {} : { 'x-forwarded-for': address };
  const { statusCode, headers, body } = await request(url, { dispatcher, headers: { ...conditions, ...forwarded } });
  await body.dump();
  return { status: statusCode, etag: String(headers.etag), waited: headers['preference-applied'] === 'wait' };
}
