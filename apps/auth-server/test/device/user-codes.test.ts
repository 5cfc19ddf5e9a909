import { testDialects } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { createDeviceCodes } from '../../src/codes/device-codes.ts';
import { drawUserCode, formatUserCode, parseUserCode } from '../../src/codes/user-code.ts';
import { buildClient, start } from '../support/builders.ts';
import { openStores } from '../support/stores.ts';

describe('user codes (RFC 8628 6.1)', () => {
  it('have eight letters of the alphabet, each as likely', () => {
    const below: number[] = [];
    let next = 0;
    const code = drawUserCode((limit) => {
      below.push(limit);
      next += 1;
      return next % limit;
    });
    expect(below).toEqual(Array<number>(8).fill(20));
    expect(code).toBe('CDFGHJKL');
    expect(drawUserCode(() => 19)).toBe('ZZZZZZZZ');
    expect(formatUserCode(code)).toBe('CDFG-HJKL');
  });

  it.each(['CDFG-HJKL', 'cdfghjkl', '  cdfg hjkl\t', 'C-D-F-G-H-J-K-L', 'cdfg – hjkl', 'cdfg\u00a0\u2011hjkl'])(
    'are read whatever their case, spaces and hyphens: %j',
    (typed) => {
      expect(parseUserCode(typed)).toBe('CDFGHJKL');
    },
  );

  it.each(['', 'CDFG-HJK', 'CDFG-HJKLM', 'ADFG-HJKL', 'CDFG-HJK1', 'CDFG_HJKL', `CDFGHJKL${' '.repeat(64)}`, '🔑'])(
    'are not read from %j',
    (typed) => {
      expect(parseUserCode(typed)).toBeUndefined();
    },
  );

  it.each(testDialects)(
    'are drawn again where another device has the one that came, and a fault where that never ends, on %s',
    async (dialect) => {
      const test = await openStores(dialect);
      const numbers = [...Array<number>(8).fill(0), ...Array<number>(8).fill(0), ...Array<number>(8).fill(1)];
      const draw = () => numbers.shift() ?? 1;
      const deviceCodes = createDeviceCodes({ ...test, userCodeKey: Buffer.alloc(32), draw, clock: () => start });
      const { registrationId, clientId } = buildClient();
      const asked = {
        registrationId,
        clientId,
        clientGeneration: 0,
        scope: ['openid'],
        resources: undefined,
        ...{ acrValues: [], maxAge: undefined, publicAddress: undefined },
      };
      const issued = [await deviceCodes.issue(asked), await deviceCodes.issue(asked)];
      expect(issued.map(({ userCode }) => userCode)).toEqual(['BBBBBBBB', 'CCCCCCCC']);
      await expect(deviceCodes.issue(asked)).rejects.toThrow('10 user codes in turn were taken');
      await test.close();
    },
  );
});
