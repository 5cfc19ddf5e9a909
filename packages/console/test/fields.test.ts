import { describe, expect, it } from '@jest/globals';
import { changesOf, type Field, toTyped, toValue, valuesOf, withoutSecrets } from '../src/parts/fields.ts';

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
