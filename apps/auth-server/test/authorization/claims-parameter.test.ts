import { describe, expect, it } from '@jest/globals';
import { parseClaimsParameter, parseStoredClaims } from '../../src/protocol/claims-parameter.ts';

describe('the parameter claims (OpenID Connect Core 5.5)', () => {
  const parse = (value: unknown) => parseClaimsParameter(JSON.stringify(value));
  const nothing = { idToken: [], userinfo: [], sub: undefined, acr: { values: [], isEssential: false } };
  const refused = expect.objectContaining({ code: 'invalid_request' });

  it('asks for nothing where it is left out or empty', () => {
    for (const parsed of [parseClaimsParameter(undefined), parse({}), parse({ id_token: null, userinfo: 7 })])
      expect(parsed).toEqual(nothing);
  });

  it('names claims for the ID token and for userinfo, whatever it says of each', () => {
    const asked = {
      id_token: { email: null, name: { essential: true } },
      userinfo: { locale: { value: 'de' }, zoneinfo: 7 },
    };
    expect(parse(asked)).toEqual({ ...nothing, idToken: ['email', 'name'], userinfo: ['locale', 'zoneinfo'] });
  });

  it('names the user by the sub of the ID token, where that is a text', () => {
    expect(parse({ id_token: { sub: { value: 'ada' } } }).sub).toBe('ada');
    for (const sub of [null, 'ada', { value: 7 }, { values: ['ada'] }])
      expect(parse({ id_token: { sub } }).sub).toBeUndefined();
    expect(parse({ userinfo: { sub: { value: 'ada' } } }).sub).toBeUndefined();
  });

  it.each([
    [{ essential: true, values: ['1', '2'] }, ['1', '2'], true],
    [{ essential: true, value: '1' }, ['1'], true],
    [{ essential: true, value: '0', values: ['1'] }, ['1'], true],
    [{ essential: true, values: [] }, [], true],
    [{ essential: true }, [], false],
    [{ essential: 'true', values: ['1'] }, ['1'], false],
    [{ values: ['1'] }, ['1'], false],
    [null, [], false],
  ])(
    'asks for acr values, and demands one of them where they are essential (5.5.1.1): %j',
    (acr, values, isEssential) => {
      expect(parse({ id_token: { acr } }).acr).toEqual({ values, isEssential });
    },
  );

  it.each(['', 'x', '[]', 'null', '7', '"text"', '{'])('is refused where it is no JSON object: %j', (text) => {
    expect(() => parseClaimsParameter(text)).toThrow(refused);
  });

  it('has up to 8192 characters, six levels and 64 claims in each member', () => {
    const padded = (length: number) => `{}${' '.repeat(length - 2)}`;
    expect(parseClaimsParameter(padded(8_192))).toEqual(nothing);
    expect(() => parseClaimsParameter(padded(8_193))).toThrow('at most 8192 characters and 6 levels');
    const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
    expect(parse({ b: nested(5) })).toEqual(nothing);
    expect(() => parse({ b: nested(6) })).toThrow(refused);
    const names = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, null]));
    expect(parse({ id_token: names(64), userinfo: names(64) }).idToken).toHaveLength(64);
    expect(() => parse({ userinfo: names(65) })).toThrow('at most 64 claims in each member');
  });

  it('is stored with its grant, but for rows of releases that stored none', () => {
    const claims = { idToken: ['email'], userinfo: ['name'] };
    expect(parseStoredClaims(JSON.stringify(claims))).toEqual(claims);
    expect(parseStoredClaims(null)).toEqual({ idToken: [], userinfo: [] });
  });
});
