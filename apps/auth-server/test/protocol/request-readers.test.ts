import { parsePresentedToken } from '@gatehouse/shared';
import { assertionType, createClientKey } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { getClientCredentials } from '../../src/clients/read-client-credentials.ts';
import {
  decodeFormEncoded,
  listReadings,
  parseBasicCredentials,
  readAsClient,
} from '../../src/protocol/basic-credentials.ts';
import { collectParameters, getParameter, parseParameters } from '../../src/protocol/request-parameters.ts';
import { encodeBasic } from '../support/realm.ts';

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

describe('Authorization: Basic (RFC 7617)', () => {
  it.each([
    ['client', 'secret'],
    ['client', ''],
    ['', 'secret'],
    ['client', 'a:b::c:'],
    ['client', ' %2B+% '],
    ['ünïcode', '🔑'],
    ['user@example.com', 'correct horse'],
  ])('gives %j and %j as they were sent', (userId, password) => {
    expect(parseBasicCredentials(encodeBasic(userId, password))).toEqual({ userId, password });
  });

  it.each(['basic', 'BASIC', 'bAsIc'])('takes the scheme as %s', (scheme) => {
    expect(parseBasicCredentials(`${scheme} ${base64('a:b')}`)).toEqual({ userId: 'a', password: 'b' });
    expect(parseBasicCredentials(`${scheme}   ${base64('a:b')}`)).toEqual({ userId: 'a', password: 'b' });
  });

  it.each([undefined, '', 'Bearer abc', 'Basics YTpi', 'Digest YTpi', base64('a:b')])(
    'leaves another scheme alone: %j',
    (header) => {
      expect(parseBasicCredentials(header)).toBeUndefined();
    },
  );

  it.each([
    ['nothing', 'Basic'],
    ['blanks', 'Basic  '],
    ['no base64', 'Basic ***'],
    ['base64url', `Basic ${base64('a:\u00ff\u00fe\u00fb???>>>').replaceAll('+', '-').replaceAll('/', '_')}`],
    ['two values', `Basic ${base64('a:b')} ${base64('c:d')}`],
    ['no colon', `Basic ${base64('client')}`],
    ['bytes that are no UTF-8', `Basic ${base64(Buffer.from([0x61, 0x3a, 0xff, 0xfe]))}`],
    ['a line break', `Basic ${base64('a:b')}\nx`],
  ])('cannot read %s', (_case, header) => {
    expect(parseBasicCredentials(header)).toBeNull();
  });

  it('decodes what was form-urlencoded inside (RFC 6749 2.3.1)', () => {
    expect(decodeFormEncoded({ userId: 'my%2Eapp', password: 'a+b%2Bc%3A%25%C3%BC' })).toEqual({
      userId: 'my.app',
      password: 'a b+c:%ü',
    });
  });

  it.each(['%', '100%', '%zz', '%C3', 'a%2'])('knows that %j cannot be form-urlencoded', (password) => {
    expect(decodeFormEncoded({ userId: 'app', password })).toBeUndefined();
  });

  it('is read both ways where they differ, and once where they do not', () => {
    expect(readAsClient(listReadings({ userId: 'app', password: 'plain-secret' }))).toEqual([
      { clientId: 'app', secret: 'plain-secret' },
    ]);
    expect(readAsClient(listReadings({ userId: 'app', password: 'a+b' }))).toEqual([
      { clientId: 'app', secret: 'a b' },
      { clientId: 'app', secret: 'a+b' },
    ]);
    expect(readAsClient(listReadings({ userId: 'app', password: '100%' }))).toEqual([
      { clientId: 'app', secret: '100%' },
    ]);
    expect(readAsClient(listReadings({ userId: 'my%2Eapp', password: 'plain-secret' }))).toEqual([
      { clientId: 'my.app', secret: 'plain-secret' },
      { clientId: 'my%2Eapp', secret: 'plain-secret' },
    ]);
  });
});

describe('client_assertion (RFC 7523 2.2)', () => {
  const key = createClientKey();
  const assertionOf = (clientId: string) => key.assertion(clientId, 'https://auth.example.com');
  const assertion = assertionOf('app');
  const good = { client_assertion: assertion, client_assertion_type: assertionType };
  const read = (parameters: object, authorization?: string) =>
    getClientCredentials(
      { headers: authorization === undefined ? {} : { authorization } },
      new Map(Object.entries(parameters)),
    );

  it.each([
    ['alone', good],
    ['beside the client_id that it is of', { ...good, client_id: 'app' }],
  ])('is how the client authenticates: %s', (_case, parameters) => {
    expect(read(parameters)).toEqual({ method: 'private_key_jwt', clientId: 'app', assertion });
  });

  it.each([
    ['beside client_secret', 'invalid_request', 'in one way', { ...good, client_secret: 'secret' }],
    ['without its type', 'invalid_request', 'must come together', { client_assertion: assertion }],
    ['as a type alone', 'invalid_request', 'must come together', { client_assertion_type: assertionType }],
    ['of another type', 'invalid_request', 'must come together', { ...good, client_assertion_type: 'urn:other' }],
    ['of another client_id', 'invalid_request', 'must be the sub', { ...good, client_id: 'other' }],
    ['that is no JWT', 'invalid_client', 'must be a JWT', { ...good, client_assertion: 'x' }],
    [
      'of what is no client_id',
      'invalid_client',
      'must be a JWT',
      { ...good, client_assertion: assertionOf('an app') },
    ],
  ])('is refused %s', (_what, code, description, parameters) => {
    expect(() => read(parameters)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(description) }),
    );
  });

  it('is refused beside Basic', () => {
    expect(() => read(good, encodeBasic('app', 'secret'))).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('in one way') }),
    );
  });
});

describe('Authorization: Bearer and DPoP (RFC 6750 2.1, RFC 9449 7.1)', () => {
  it.each([
    ['Bearer abc.DEF-_~+/==', 'Bearer', 'abc.DEF-_~+/=='],
    ['bearer abc', 'Bearer', 'abc'],
    ['Bearer   abc', 'Bearer', 'abc'],
    ['DPoP abc.DEF-_~+/==', 'DPoP', 'abc.DEF-_~+/=='],
    ['dpop abc', 'DPoP', 'abc'],
    ['DPOP  abc', 'DPoP', 'abc'],
  ])('reads %j', (header, scheme, token) => {
    expect(parsePresentedToken(header)).toEqual({ scheme, token });
  });

  it.each(
    ['', ' ', ' a b', ' a,b', ' ü', ' a=b', ' "abc"', ' abc\n'].flatMap((rest) => [`Bearer${rest}`, `DPoP${rest}`]),
  )('cannot read %j', (header) => {
    expect(parsePresentedToken(header)).toBeNull();
  });

  it.each([undefined, '', 'Basic abc', 'Bearerabc', 'Token abc', 'DPoPabc', 'X-DPoP abc'])(
    'leaves another scheme alone: %j',
    (header) => {
      expect(parsePresentedToken(header)).toBeUndefined();
    },
  );
});

describe('request parameters (RFC 6749 3.1)', () => {
  const invalidRequest = expect.objectContaining({ code: 'invalid_request', status: 400 });
  const faultOf = (encoded: string) => {
    try {
      parseParameters(encoded);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it('are decoded as forms are', () => {
    const parameters = parseParameters('a=1&b=x+y%2Bz&c=%C3%BC%3D%26&d%20d=e');
    expect(Object.fromEntries(parameters)).toEqual({ a: '1', b: 'x y+z', c: 'ü=&', 'd d': 'e' });
  });

  it('count as left out where they have no value', () => {
    expect([...parseParameters('scope=&state&a=1&&')]).toEqual([['a', '1']]);
  });

  it.each(['a=1&a=2', 'a=1&a=1', 'a=&a=1', 'a&a', 'a=1&%61=2'])(
    'make the request invalid where one comes twice: %s',
    (encoded) => {
      expect(faultOf(encoded)).toEqual(invalidRequest);
    },
  );

  it('tell parameters apart by case', () => {
    expect(parseParameters('a=1&A=2').size).toBe(2);
  });

  it('take names that an object would trip over', () => {
    const parameters = parseParameters('__proto__=x&constructor=y&toString=z');
    expect([...parameters.keys()]).toEqual(['__proto__', 'constructor', 'toString']);
    expect(parseParameters('a=1').get('constructor')).toBeUndefined();
    expect(faultOf('__proto__=x&__proto__=y')).toEqual(invalidRequest);
  });

  it('name the repeated one in a description that stays short and escaped', () => {
    const { message } = faultOf(`${'n'.repeat(500)}=1&${'n'.repeat(500)}=2`) as Error;
    expect(message.length).toBeLessThan(150);
    expect((faultOf('%0A=1&%0A=2') as Error).message).not.toContain('\n');
  });

  it('are collected with their repeats by who has to answer first', () => {
    const { parameters, repeated } = collectParameters('a=1&b=2&a=3');
    expect(parameters.get('b')).toBe('2');
    expect([...repeated]).toEqual(['a']);
  });

  it('are required by name', () => {
    expect(getParameter(parseParameters('code=x'), 'code')).toBe('x');
    expect(() => getParameter(parseParameters('code='), 'code')).toThrow('code');
  });
});
