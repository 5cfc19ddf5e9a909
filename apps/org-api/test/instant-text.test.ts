import { expect, it } from '@jest/globals';
import { writeInstant } from '../src/users/instant-text.ts';

const day = 86_400_000;

it('writes instants as Date does, in every year that it knows', () => {
  const last = 100_000_000 * day;
  const ends = [0, -1, 1, day - 1, day, Date.UTC(2024, 1, 29, 23, 59, 59, 999), Date.UTC(10_000), last, -last];
  const many = Array.from({ length: 20_000 }, (_, index) => index * 7 * day + index * 7_777_777);
  const instants = [...ends, ...many, ...many.map((each) => -each)];
  expect(instants.map(writeInstant)).toEqual(instants.map((instant) => new Date(instant).toISOString()));
});

it('refuses what is no instant', () => {
  expect(() => writeInstant(Number.NaN)).toThrow(RangeError);
  expect(() => writeInstant(Number.POSITIVE_INFINITY)).toThrow(RangeError);
});
