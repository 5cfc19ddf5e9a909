import { writeSync } from 'node:fs';

/** The most characters of waiting lines. Beyond it new lines are dropped whole, and counted. */
const mostWaiting = 1024 * 1024;
/** Milliseconds before the next write to a full pipe. */
const retryInterval = 50;

/** Writes lines. It never waits and never throws, whatever the reader does. */
export interface LineWriter {
  write(line: string): void;
  /** Writes as many waiting lines as the pipe takes now. */
  flush(): void;
}

interface Dependencies {
  /** Writes some of the bytes and gives their number. Throws EAGAIN where the pipe takes none now. */
  writeSome?(bytes: Buffer, offset: number): number;
  /** Gives the line that says how many lines were dropped, once there is room again. */
  describeLoss(lines: number): string;
}

/**
 * Writes the lines of one turn of the event loop to standard output together: a system call for each would cost more than
 * the line. If the reader stops reading, lines are lost; if it is gone, all are. Neither stops the service.
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
  /** Gives the number of bytes that need no further write. */
  const writeAll = (bytes: Buffer): number => {
    let offset = 0;
    try {
      while (!isBroken && offset < bytes.length) offset += writeSome(bytes, offset);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return offset;
      // The reader is gone (EPIPE) or the disk is full (ENOSPC): there is no place to report it.
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

/** Reading `process.stdout` makes a pipe non-blocking, so that a reader that stops reading cannot stop the process. */
function writeToStandardOutput() {
  const { fd } = process.stdout;
  return (bytes: Buffer, offset: number) => writeSync(fd, bytes, offset);
}
