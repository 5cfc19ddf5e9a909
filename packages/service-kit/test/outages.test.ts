import { beforeEach, describe, expect, it } from '@jest/globals';
import { createOutages, type Outages } from '../src/database/outages.ts';

describe('the time in which a database is out of reach', () => {
  let now: number;
  let outages: Outages;
  beforeEach(() => {
    now = 0;
    outages = createOutages(() => now);
  });

  const fail = (error: object) => expect(outages.watch(() => Promise.reject(error))).rejects.toBe(error);
  const lost = { code: 'PROTOCOL_CONNECTION_LOST' };
  const taken = { code: 'ER_DUP_ENTRY' };
  const answer = () => outages.watch(() => Promise.resolve('answer'));
  /** Fails at `from` and answers at `to`. */
  const lose = async (from: number, to: number) => {
    now = from;
    await fail(lost);
    now = to;
    await answer();
  };

  it('is none while every statement is answered, though with a refusal', async () => {
    now = 1_000;
    expect(await answer()).toBe('answer');
    await fail(taken);
    now = 2_000;
    expect(outages.timeOutOfReach(0, now)).toBe(0);
  });

  it('lasts from the statement without an answer to the next answer', async () => {
    await lose(1_000, 5_000);
    now = 9_000;
    expect(outages.timeOutOfReach(0, now)).toBe(4_000);
    expect(outages.timeOutOfReach(2_000, 3_000)).toBe(1_000);
    expect(outages.timeOutOfReach(4_000, now)).toBe(1_000);
    expect(outages.timeOutOfReach(5_000, now)).toBe(0);
    expect(outages.timeOutOfReach(0, 1_000)).toBe(0);
  });

  it('ends with a refusal too, which is an answer', async () => {
    await fail(lost);
    now = 3_000;
    await fail(taken);
    now = 9_000;
    expect(outages.timeOutOfReach(0, now)).toBe(3_000);
  });

  it('goes on until now where there was no answer yet', async () => {
    await fail(lost);
    now = 7_000;
    await fail(lost);
    expect(outages.timeOutOfReach(0, now)).toBe(7_000);
  });

  it('begins when the statement was sent, not when it failed', async () => {
    let giveUp = () => {};
    const waiting = outages.watch(() => new Promise((_resolve, reject) => (giveUp = () => reject(lost))));
    now = 10_000;
    giveUp();
    await expect(waiting).rejects.toBe(lost);
    await answer();
    expect(outages.timeOutOfReach(0, now)).toBe(10_000);
  });

  it.each([1_000, 1_100])('goes on where the next begins within a second of an answer: at %i', async (from) => {
    await lose(0, 100);
    await lose(from, 5_000);
    expect(outages.timeOutOfReach(0, now)).toBe(5_000);
  });

  it('is counted apart where the database was back for longer than a second', async () => {
    await lose(0, 100);
    await lose(2_000, 5_000);
    expect(outages.timeOutOfReach(0, now)).toBe(3_100);
  });

  it('is forgotten after eight more', async () => {
    for (let turn = 0; turn < 9; turn += 1) await lose(turn * 10_000, turn * 10_000 + 100);
    expect(outages.timeOutOfReach(0, now)).toBe(800);
    expect(outages.timeOutOfReach(0, 9_000)).toBe(0);
  });
});
