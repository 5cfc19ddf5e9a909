/** The part of an answer that is read. */
export interface FetchAnswer {
  status: number;
  headers: { get(name: string): string | null };
  /** A stream of bytes. */
  body: object | null;
}

/** Asks by GET, as the global `fetch` does. Give another for CA certificates, proxies or headers of your own. */
export type Fetch = (
  url: string,
  init: { headers: Record<string, string>; signal: AbortSignal; redirect: 'manual' },
) => Promise<FetchAnswer>;

/** Reads a body as text. Throws where it is longer than `longest` bytes. */
export async function readText({ body }: FetchAnswer, longest: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > longest) throw new Error(`the answer has more than ${longest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Lets go of an answer whose body is not read, so that its connection is free again. */
export async function discardBody({ body }: FetchAnswer): Promise<void> {
  await (body as { cancel?(): Promise<void> } | null)?.cancel?.();
}
