import { describe, expect, it } from '@jest/globals';
import { createUsedIdentifiers } from '../src/dpop/used-identifiers.ts';

const hash = (text: string) => Buffer.from(text);

describe('identifiers of proofs that one process remembers', () => {
  it('work once, until they expire', async () => {
    let now = 0;
    const used = createUsedIdentifiers({ clock: () => now });
    expect([await used.use(hash('a'), 60), await used.use(hash('a'), 60), await used.use(hash('b'), 60)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await used.use(hash('c'), 60)).toBe(true);
    now = 100;
    expect(await used.use(hash('a'), 160)).toBe(true);
  });

  it('never work twice, however many there are: proofs as old as the forgotten ones are refused', async () => {
    const used = createUsedIdentifiers({ clock: () => 0, most: 2 });
    for (const [name, expiresAt] of [
      ['a', 10],
      ['b', 11],
      ['c', 12],
    ] as const) {
      expect(await used.use(hash(name), expiresAt)).toBe(true);
    }
    expect(await used.use(hash('a'), 10)).toBe(false);
    expect(await used.use(hash('d'), 10)).toBe(false);
    for (const name of ['e', 'f', 'g']) expect(await used.use(hash(name), 13)).toBe(true);
    expect(await used.use(hash('h'), 13)).toBe(false);
    expect(await used.use(hash('h'), 14)).toBe(true);
  });
});
