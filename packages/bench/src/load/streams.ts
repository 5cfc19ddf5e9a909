import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Children } from '../machine/children.ts';
import type { RequestParts } from './load.ts';
import { startBeside } from './start-beside.ts';

const script = fileURLToPath(new URL('./steady-load.js', import.meta.url));

/** Requests at a steady rate, one after the other and over again. */
export interface Stream {
  name: string;
  port: number;
  perSecond: number;
  requests: readonly RequestParts[];
}

export interface StreamResult {
  name: string;
  requests: number;
  /** Answers that were not 200, and errors of the connection. */
  failures: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  max: number;
}

/** Sends streams while `during` is under way. */
export async function runStreams<T>(
  children: Children,
  streams: readonly Stream[],
  during: () => Promise<T>,
): Promise<{ results: StreamResult[]; value: T }> {
  const file = join(tmpdir(), `gatehouse-bench-streams-${process.pid}.json`);
  await writeFile(file, JSON.stringify(streams), { mode: 0o600 });
  const stop = startBeside(children, script, [file]);
  const stopped: { output?: string } = {};
  try {
    const value = await during();
    stopped.output = await stop();
    return { results: JSON.parse(stopped.output) as StreamResult[], value };
  } finally {
    if (stopped.output === undefined) await stop();
    await rm(file, { force: true });
  }
}
