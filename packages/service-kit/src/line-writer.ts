import { writeSync } from 'node:fs';

/** Characters of lines that wait for a reader; beyond them new lines are dropped, whole, and counted. */
const mostWaiting = 1024 * 1024;
/** Milliseconds after which a full pipe is tried again. */
const retryInterval = 50;

/** Takes lines; never waits and never throws, whatever becomes of their reader. */
export interface LineWriter {
  write(line: string): void;
  /** Writes what waits, as far as it can be written now. */
  flush(): void;
}

interface Dependencies {
  /** Writes some of the bytes and says how many; throws EAGAIN where none can be taken now. */
  writeSome?(bytes: Buffer, offset: number): number;
  /** The line that tells how many were dropped, once there is room again. */
  describeLoss(lines: number): string;
}

/**
 * Writes the lines of one turn of the event loop to standard output together: a system call for each would cost more than
 * the line. A reader that stops reading costs lines, one that is gone all of them, and neither stops the service.
 */
export function createLineWriter({ writeSome = writeToStandardOutput(), describeLoss }: Dependencies): LineWriter {
  let lines = '';
  let rest: Buffer = Buffer.alloc(0);
  let dropped = 0;
  let isBroken = false;

  const flush = () => {
    const loss = dropped > 0 && rest.length === 0 ? describeLoss(dropped) : '';
    if (loss !== '') dropped = 0;
    const fresh = Buffer.from(loss + lines);
    const bytes = rest.length === 0 ? fresh : Buffer.concat([rest, fresh]);
    lines = '';
    rest = bytes.subarray(writeAll(bytes));
    if (rest.length > 0) setTimeout(flush, retryInterval).unref();
  };
  /** Gives how many bytes are done with. */
  const writeAll = (bytes: Buffer): number => {
    let offset = 0;
    try {
      while (!isBroken && offset < bytes.length) offset += writeSome(bytes, offset);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return offset;
      // Nobody reads (EPIPE) or nothing can be stored (ENOSPC): there is no place left to say so.
      isBroken = true;
    }
    return bytes.length;
  };

  return {
    write(line) {
      if (isBroken) return;
      if (rest.length + lines.length > mostWaiting) {
        dropped += 1;
        return;
      }
      if (lines === '' && rest.length === 0) setImmediate(flush);
      lines += line;
    },
    flush,
  };
}

/** Touching `process.stdout` makes a pipe non-blocking, so that a reader who does not read cannot stop the process. */
function writeToStandardOutput() {
  const { fd } = process.stdout;
  return (bytes: Buffer, offset: number) => writeSync(fd, bytes, offset);
}
