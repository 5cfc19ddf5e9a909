import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('the grants of a user for a client, on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  it.each(['', 'x', '00000000-0000-0000-0000-000000000000', 'ö'.repeat(36), "' OR 1=1 --"])(
    'are none for the registration %j',
    async (registrationId) => {
      const { codes, deviceCodes, refreshTokens } = test;
      for (const store of [codes, deviceCodes, refreshTokens]) {
        expect(await store.listGrantsOf(createId(), registrationId)).toEqual([]);
      }
    },
  );
});
