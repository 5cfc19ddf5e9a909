import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLineWriter, type LineWriter } from '../src/line-writer.ts';

/** A pipe that takes so many bytes until somebody reads, or answers every write with an error. */
let written: string;
let bytesWritten: Buffer;
let calls: number;
let room: number;
let fault: string | undefined;
let writer: LineWriter;

beforeEach(() => {
  written = '';
  bytesWritten = Buffer.alloc(0);
  calls = 0;
  room = Number.POSITIVE_INFINITY;
  fault = undefined;
  writer = createLineWriter({
    writeSome(bytes, offset) {
      calls += 1;
      if (fault !== undefined || room === 0) throw Object.assign(new Error('write'), { code: fault ?? 'EAGAIN' });
      const some = bytes.subarray(offset, offset + room);
      room -= some.length;
      bytesWritten = Buffer.concat([bytesWritten, some]);
      written = bytesWritten.toString();
      return some.length;
    },
    describeLoss: (lines) => `lost ${lines}\n`,
  });
});

afterEach(() => void jest.useRealTimers());

describe('a line writer', () => {
  it('writes the lines of one turn together, in their order', async () => {
    for (const line of ['a\n', 'é\n', 'c\n']) writer.write(line);
    expect(written).toBe('');
    await sleep(5);
    expect([written, calls]).toEqual(['a\né\nc\n', 1]);
  });

  it('keeps what a full pipe does not take, to the byte, and writes it when there is room', async () => {
    room = 3;
    writer.write('éé\n');
    await sleep(5);
    writer.write('next\n');
    expect(bytesWritten).toHaveLength(3);
    room = Number.POSITIVE_INFINITY;
    await sleep(150);
    expect(written).toBe('éé\nnext\n');
  });

  it('comes back for a single byte too', async () => {
    room = 4;
    writer.write('line\n');
    await sleep(5);
    expect(written).toBe('line');
    room = Number.POSITIVE_INFINITY;
    await sleep(150);
    expect(written).toBe('line\n');
  });

  it('drops whole lines where nobody reads for long, and says how many as soon as somebody does', async () => {
    room = 0;
    const line = `${'x'.repeat(1023)}\n`;
    for (let kilobytes = 0; kilobytes < 1_100; kilobytes += 1) writer.write(line);
    await sleep(5);
    for (let more = 0; more < 10; more += 1) writer.write(line);
    room = Number.POSITIVE_INFINITY;
    await sleep(150);
    writer.write('after\n');
    await sleep(5);
    const lines = written.split('\n').filter((text) => text !== '');
    const whole = lines.filter((text) => /^x{1023}$/.test(text));
    const losses = lines.map((text) => Number(/^lost (\d+)$/.exec(text)?.[1] ?? 0));
    expect(whole.length + losses.reduce((sum, loss) => sum + loss)).toBe(1_110);
    expect(lines.filter((text) => !text.startsWith('x') && !text.startsWith('lost'))).toEqual(['after']);
  });

  it('counts what it drops until there is room, and says it once, also of a single line', () => {
    const fill = () => {
      writer.write(`${'x'.repeat(1024 * 1024 - 1)}\n`);
      writer.flush();
      writer.write('kept\n');
    };
    const drop = (lines: number) => {
      for (let i = 0; i < lines; i += 1) writer.write('dropped\n');
    };
    const readLosses = () => {
      room = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 2; i += 1) writer.flush();
      return written.split('\n').filter((line) => line.startsWith('lost'));
    };
    room = 0;
    fill();
    drop(5);
    writer.flush();
    drop(5);
    expect(readLosses()).toEqual(['lost 10']);
    room = 0;
    fill();
    drop(1);
    expect(readLosses()).toEqual(['lost 10', 'lost 1']);
    expect(written.match(/kept|dropped/g)).toEqual(['kept', 'kept']);
  });

  it('comes back once in 50 ms for all lines that wait, and no more once all is written', () => {
    jest.useFakeTimers();
    room = 0;
    for (const line of ['a\n', 'b\n']) writer.write(line);
    expect(jest.getTimerCount()).toBe(1);
    jest.runOnlyPendingTimers();
    writer.write('c\n');
    expect(jest.getTimerCount()).toBe(1);
    room = Number.POSITIVE_INFINITY;
    jest.advanceTimersByTime(49);
    expect(written).toBe('');
    jest.advanceTimersByTime(1);
    expect([written, jest.getTimerCount()]).toEqual(['a\nb\nc\n', 0]);
  });

  it.each(['EPIPE', 'ENOSPC', 'EIO'])('gives up without a word where writing fails with %s', async (code) => {
    fault = code;
    writer.write('a\n');
    await sleep(5);
    fault = undefined;
    writer.write('b\n');
    writer.flush();
    expect(written).toBe('');
  });

  it('does not say what it dropped either, once it has given up', () => {
    room = 0;
    writer.write(`${'x'.repeat(1024 * 1024)}\n`);
    writer.flush();
    writer.write('dropped\n');
    fault = 'EPIPE';
    writer.flush();
    fault = undefined;
    room = Number.POSITIVE_INFINITY;
    writer.flush();
    expect(written).toBe('');
  });

  it('writes what waits when it is told to', () => {
    writer.write('last\n');
    writer.flush();
    expect(written).toBe('last\n');
  });
});
