import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGuessLimit } from '../src/guess-limit/guess-limit.ts';
import { networkOf, wideNetworkOf } from '../src/guess-limit/network.ts';
import { openTestDatabase } from './support/test-service.ts';

describe('the guess limit and the addresses of one place', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>;
  let limit: ReturnType<typeof createGuessLimit>;
  beforeAll(async () => {
    test = await openTestDatabase('sqlite');
    limit = createGuessLimit({
      database: test.database,
      clock: () => 1_700_000_000_000,
      knownNetworks: { isKnown: async () => false },
    });
  });
  afterAll(() => test.close());

  let count = 0;
  /** Whether ten wrong guesses, five from each address, are too many for the second of them. */
  const countTogether = async (one: string, another: string) => {
    count += 1;
    const subject = `user${count}@example.com`;
    for (const address of [one, another]) {
      for (let i = 0; i < 5; i += 1) await limit.count({ subject, address });
    }
    return (await limit.findRetryAfter({ subject, address: another })) !== undefined;
  };

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8:1:2::', '2001:0DB8:0001:0002:0000:0000:0000:0001'],
    ['2001:db8::1', '2001:db8:0:0:1::'],
    ['::1', '::2'],
    ['fe80::1%eth0', 'fe80::2'],
    ['192.0.2.7', '::ffff:192.0.2.7'],
    ['192.0.2.7', '::ffff:c000:207'],
    ['192.0.2.7', '0:0:0:0:0:ffff:192.0.2.7'],
    ['192.0.2.8', '::FFFF:192.0.2.8'],
    ['198.51.100.7', '::ffff:198.51.100.7'],
  ])('takes %s and %s for one', async (one, another) => {
    expect(await countTogether(one, another)).toBe(true);
    expect(await countTogether(another, one)).toBe(true);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8:1::', '2001:db8:0:1::'],
    ['2001::1:2:3:4:5', '2001::2:2:3:4:5'],
    ['192.0.2.7', '192.0.2.70'],
    ['::ffff:192.0.2.7', '::ffff:192.0.2.8'],
    ['192.0.2.7', '2001:db8:1:2::1'],
    ['192.0.2.9', '192.0.2.9:443'],
  ])('takes %s and %s for two', async (one, another) => {
    expect(await countTogether(one, another)).toBe(false);
    expect(await countTogether(another, one)).toBe(false);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1'],
    ['2001:db8::1', '2001:db8:0'],
    ['::1', '0:0:0'],
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
  ])('takes %s for part of %s', (address, wideNetwork) => {
    expect(wideNetworkOf(networkOf(address))).toBe(wideNetwork);
  });
});
