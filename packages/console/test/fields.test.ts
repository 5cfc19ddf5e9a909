import { describe, expect, it } from '@jest/globals';
import { changesOf, type Field, refusalsOf, toTyped, toValue, valuesOf, withoutSecrets } from '../src/parts/fields.ts';
import { refuseSecretKeys } from '../src/parts/public-keys.ts';

const field = (name: string, kind: Field['kind'], more: Partial<Field> = {}): Field => ({
  name,
  kind,
  label: name,
  ...more,
});
const fields = [
  field('name', 'text'),
  field('uris', 'lines'),
  field('seconds', 'number'),
  field('on', 'switch'),
  field('roles', 'choices', { lasting: true }),
  field('levels', 'choices'),
  field('keys', 'json'),
];
const item = { name: 'Shop', uris: ['a', 'b'], seconds: 60, on: true, roles: ['one'], levels: ['low'], keys: { a: 1 } };
const typed = Object.fromEntries(
  fields.map((each) => [each.name, toTyped(each, item[each.name as keyof typeof item])]),
);

describe('what is typed into a form', () => {
  it('changes nothing where it is what was there', () => {
    expect(changesOf(fields, item, typed)).toEqual({});
    expect(changesOf(fields, item, {})).toEqual({});
    expect(
      changesOf(fields, {}, { name: '', uris: '', seconds: '', on: false, roles: [], levels: [], keys: '' }),
    ).toEqual({});
  });

  it('becomes the values of the API', () => {
    const input = {
      name: ' Shop 2 ',
      uris: 'a\n\n  c \n',
      seconds: '90',
      on: false,
      roles: ['one', 'two'],
      keys: '{"b":[2]}',
    };
    expect(changesOf(fields, item, input)).toEqual({
      ...{ name: ' Shop 2 ', uris: ['a', 'c'], seconds: 90, on: false, roles: ['one', 'two'], keys: { b: [2] } },
    });
  });

  it('takes a member away where it was emptied', () => {
    const emptied = { name: '', uris: ' \n', seconds: '', roles: [], levels: [], keys: '' };
    expect(changesOf(fields, item, emptied)).toEqual({
      ...{ name: null, uris: null, seconds: null, roles: [], levels: null, keys: null },
    });
  });

  it('is sent as it is where it is no number and no JSON: the service says so', () => {
    expect(toValue(field('seconds', 'number'), 'soon')).toBe('soon');
    expect(toValue(field('keys', 'json'), '{')).toBe('{');
  });

  it('has no member in a new object where nothing was typed', () => {
    expect(valuesOf(fields, { name: 'x', uris: '', on: false, roles: [], keys: '' })).toEqual({ name: 'x' });
    expect(valuesOf(fields, { on: true, roles: ['one'] })).toEqual({ on: true, roles: ['one'] });
  });
});

describe('what is kept of it', () => {
  it('has no secret', () => {
    const secret = field('client_secret', 'text', { type: 'password' });
    expect(withoutSecrets([...fields, secret], { name: 'Shop', client_secret: 'x' })).toEqual({ name: 'Shop' });
    expect(withoutSecrets(fields, { name: 'Shop', on: false })).toEqual({ name: 'Shop', on: false });
  });
});

describe('typed keys', () => {
  const keys = [field('jwks', 'json', { refuse: refuseSecretKeys })];
  const isRefused = (jwks: string) => {
    const isKept = 'jwks' in withoutSecrets(keys, { jwks });
    expect(refusalsOf(keys, { jwks }).length).toBe(isKept ? 0 : 1);
    return !isKept;
  };

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])('are neither sent nor kept with the member %s', (name) => {
    const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
    expect(isRefused(JSON.stringify({ keys: [key, { ...key, [name]: 'secret' }] }))).toBe(true);
    expect(isRefused(JSON.stringify({ ...key, [name]: 'secret' }))).toBe(true);
  });

  it('are kept where they are public, and refused where they are no JSON', () => {
    const text = JSON.stringify({ keys: [{ kty: 'RSA', n: 'n', e: 'AQAB', kid: 'd', use: 'sig' }] });
    expect([text, '', ' \n'].map(isRefused)).toEqual([false, false, false]);
    expect(['-----BEGIN PRIVATE KEY-----', `${text}}`, '{"\\u0064": "secret"}'].map(isRefused)).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('scopes of an API', () => {
  const scopes = field('scopes', 'scopes');
  const value = [
    { name: 'orders.read', description: 'Read your orders', 'description#de': 'Ihre Bestellungen lesen' },
    { name: 'orders.write', description: '' },
  ];

  it('are typed a line each, other languages below', () => {
    const text = 'orders.read Read your orders\n  #de Ihre Bestellungen lesen\norders.write';
    expect(toTyped(scopes, value)).toBe(text);
    expect(toValue(scopes, `\n${text}\n`)).toEqual(value);
  });
});
