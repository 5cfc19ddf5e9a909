import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { StepError } from '../failures.ts';
import { longestLine } from './bundle-line.ts';

/** A place between two lines: the bytes and lines of the text before it. Of a compressed file, of the text in it. */
export interface Place {
  offset: number;
  line: number;
}

export const beginning: Place = { offset: 0, line: 0 };

/** A line without its end. The text is left out, with the reason, where it cannot be taken. */
export interface Line {
  text: string | undefined;
  fault?: string;
  end: Place;
}

const lineFeed = 0x0a;

/** Reads a file line by line from a place on. Holds one line at a time, and of a longer one nothing. Throws a StepError. */
export async function* readLines(path: string, from: Place = beginning): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let end = from;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length <= longestLine) parts.push(part);
    else parts = [];
  };
  const finish = (ending: number): Line => {
    end = { offset: end.offset + length + ending, line: end.line + 1 };
    const line = length > longestLine ? unreadable : readLine(Buffer.concat(parts));
    parts = [];
    length = 0;
    return { ...line, end };
  };
  for await (const chunk of readBytes(path, from.offset)) {
    let at = 0;
    for (let next = chunk.indexOf(lineFeed); next >= 0; next = chunk.indexOf(lineFeed, at)) {
      keep(chunk.subarray(at, next));
      at = next + 1;
      yield finish(1);
    }
    keep(chunk.subarray(at));
  }
  if (length > 0) yield finish(0);
}

const unreadable = { text: undefined, fault: `must have at most ${longestLine} bytes` };

function readLine(bytes: Buffer): Pick<Line, 'text' | 'fault'> {
  return isUtf8(bytes) ? { text: bytes.toString() } : { text: undefined, fault: 'must be UTF-8' };
}

async function* readBytes(path: string, offset: number): AsyncGenerator<Buffer> {
  try {
    if (!path.endsWith('.gz')) {
      yield* createReadStream(path, { start: offset });
      return;
    }
    const text = createGunzip();
    pipeline(createReadStream(path), text, () => undefined);
    let left = offset;
    for await (const chunk of text as AsyncIterable<Buffer>) {
      if (left < chunk.length) yield chunk.subarray(left);
      left = Math.max(0, left - chunk.length);
    }
  } catch (error) {
    throw new StepError('bundle', `${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
