import { describe, expect, it } from '@jest/globals';
import { bitsOf, isOneOf, parseEntityTags } from '../../src/status-lists/entity-tag.ts';
import { parsePreferredWait } from '../../src/status-lists/preferred-wait.ts';

describe('Prefer: wait (RFC 7240)', () => {
  it.each<[header: string, seconds: number]>([
    ['wait=10', 10],
    ['wait=1', 1],
    ['wait=30', 30],
    ['wait=31', 30],
    ['wait=99999999999999999999999', 30],
    ['wait=007', 7],
    ['Wait=10', 10],
    ['WAIT = 10', 10],
    ['wait="10"', 10],
    ['wait="1\\0"', 10],
    [' wait=10 ', 10],
    ['\twait\t=\t10\t', 10],
    ['respond-async, wait=10', 10],
    ['respond-async,wait=10,return=minimal', 10],
    [', ,wait=10,', 10],
    ['foo="a, wait=5, b", wait=10', 10],
    ['foo="a \\", wait=5", wait=10', 10],
    ['wait=10; foo="bar, baz"', 10],
    ['wait=10 ; foo', 10],
    ['wait=10;', 10],
    // Of a preference that is there twice the first counts.
    ['wait=10, wait=20', 10],
    // What is malformed beside it is ignored.
    ['=5, wait=10', 10],
    ['foo=(, wait=10', 10],
    ['"wait=5", wait=10', 10],
  ])('reads %j as %d seconds', (header, seconds) => {
    expect(parsePreferredWait(header)).toBe(seconds);
  });

  it.each([
    '',
    ',',
    'wait',
    'wait=',
    'wait=""',
    'wait=0',
    'wait="00"',
    'wait=-1',
    'wait=+5',
    'wait=1.5',
    'wait=1e1',
    'wait=0x10',
    'wait=ten',
    'wait=10s',
    'wait=10 20',
    'wait="10',
    'wait="10"5',
    'wait=10=5',
    "wait='10'",
    'wait=１０',
    'wait:10',
    'waiting=10',
    'x-wait=10',
    'foo; wait=10',
    'foo="wait=10"',
    'foo="open, wait=10',
    'respond-async',
    // The first counts, and is malformed.
    'wait=ten, wait=10',
    'wait, wait=10',
    'wait=0, wait=10',
  ])('ignores %j', (header) => {
    expect(parsePreferredWait(header)).toBeUndefined();
  });

  it('is read from several headers, and missing where there is none', () => {
    expect(parsePreferredWait(['return=minimal', 'wait=10'])).toBe(10);
    expect(parsePreferredWait(undefined)).toBeUndefined();
  });

  it('costs no more than linear time, whatever is sent', () => {
    const long = 16_000;
    const hostile = [`wait${' '.repeat(long)}x`, `wait=${' '.repeat(long)}"`, '"\\'.repeat(long), ','.repeat(long)];
    hostile.push(
      `wait="${'\\"'.repeat(long)}`,
      `wait=${'1'.repeat(long)}`,
      '="'.repeat(long),
      'wait=10;'.repeat(long / 8),
    );
    const start = performance.now();
    for (const header of hostile) {
      parsePreferredWait(header);
      parseEntityTags(header);
    }
    expect(performance.now() - start).toBeLessThan(500);
  });
});

describe('If-None-Match of a status list (RFC 9110 13.1.2)', () => {
  it('names one entity tag or several, strong or weak', () => {
    expect(parseEntityTags('W/"1-a"')).toEqual(['W/"1-a"']);
    expect(parseEntityTags('"1-a", W/"2,b" ,W/""')).toEqual(['"1-a"', 'W/"2,b"', 'W/""']);
  });

  it.each([undefined, '', '*', 'abc', 'W/', '"open', 'w/abc'])('names none where it is %j', (header) => {
    expect(parseEntityTags(header)).toBeUndefined();
  });

  it('counts sixteen of them', () => {
    expect(parseEntityTags('"a",'.repeat(4_000))).toHaveLength(16);
  });

  it('matches by the weak comparison', () => {
    expect(isOneOf(['"1-a"'], 'W/"1-a"')).toBe(true);
    expect(isOneOf(['W/"2-a"', 'W/"1-a"'], 'W/"1-a"')).toBe(true);
    expect(isOneOf(['W/"1-b"', 'W/"2-a"'], 'W/"1-a"')).toBe(false);
  });

  it('says the same of the bits in whatever hour the list was signed', () => {
    expect(bitsOf('W/"1-a-b"')).toBe(bitsOf('"2-a-b"'));
    expect(bitsOf('W/"1-a"')).not.toBe(bitsOf('W/"1-b"'));
  });
});
