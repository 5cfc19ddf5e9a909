import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { type Environment, readTogether } from '../src/environment.ts';
import { type Disclosure, listVariablesInForce } from '../src/variables-in-force.ts';

const variables = {
  NAME: Type.Optional(Type.String()),
  COUNT: Type.Integer({ minimum: 0, maximum: 9, default: 3 }),
  WORDS: Type.Array(Type.String(), { default: ['one', 'two'] }),
  ENDPOINT: Type.Optional(Type.String()),
  LOGO_FILE: Type.Optional(Type.String()),
  KEY: Type.Optional(Type.String()),
};
const disclosures: Record<keyof typeof variables, Disclosure> = {
  ...{ NAME: 'text', COUNT: 'text', WORDS: 'text', ENDPOINT: 'address', LOGO_FILE: 'path', KEY: 'secret' },
};

describe('variables in force', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-variables-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const list = (env: Environment) =>
    readTogether(variables, env, { list: (values) => listVariablesInForce(values, env, disclosures) }).list;
  const find = (name: keyof typeof variables, env: Environment) => list(env).find((variable) => variable.name === name);
  const write = (content: string) => {
    const path = join(folder, 'value');
    writeFileSync(path, content);
    return path;
  };

  it('are all listed, with their defaults where they are not set', () => {
    expect(list({})).toEqual([
      { name: 'NAME', from: 'default', secret: false },
      { name: 'COUNT', from: 'default', value: '3', secret: false },
      { name: 'WORDS', from: 'default', value: 'one two', secret: false },
      { name: 'ENDPOINT', from: 'default', secret: false },
      { name: 'LOGO_FILE', from: 'default', secret: false },
      { name: 'KEY', from: 'default', secret: true },
    ]);
  });

  it('are secrets where nobody said what they are', () => {
    const [unknown] = listVariablesInForce({ NEW: 'value' }, { NEW: 'value' }, {});
    expect(unknown).toEqual({ name: 'NEW', from: 'environment', secret: true });
  });

  it('say their texts, and that they are of the environment', () => {
    expect(find('NAME', { NAME: 'main' })).toEqual({ name: 'NAME', from: 'environment', value: 'main', secret: false });
    expect(find('WORDS', { WORDS: 'a  b' })).toMatchObject({ from: 'environment', value: 'a b' });
    expect(find('NAME', { NAME: '' })).toMatchObject({ from: 'default' });
  });

  it('say that they are of a file, and not of which', () => {
    const path = write('4\n');
    expect(find('COUNT', { COUNT_FILE: path })).toEqual({ name: 'COUNT', from: 'file', value: '4', secret: false });
    expect(find('COUNT', { COUNT: '', COUNT_FILE: path })).toMatchObject({ from: 'file', value: '4' });
    expect(find('COUNT', { COUNT_FILE: write('\n') })).toMatchObject({ from: 'default', value: '3' });
    expect(JSON.stringify(list({ COUNT_FILE: write('4'), KEY_FILE: path, LOGO_FILE: path }))).not.toContain(folder);
  });

  it('say nothing of a secret and of a path but that they are set', () => {
    expect(find('KEY', { KEY: 'the key' })).toEqual({ name: 'KEY', from: 'environment', secret: true });
    expect(find('KEY', { KEY_FILE: write('the key') })).toEqual({ name: 'KEY', from: 'file', secret: true });
    const path = { LOGO_FILE: '/run/logo.svg' };
    expect(find('LOGO_FILE', path)).toEqual({ name: 'LOGO_FILE', from: 'environment', secret: false });
  });

  it.each([
    ['https://user:secret@host.example/path', 'https://host.example/path'],
    ['https://secret@host.example', 'https://host.example'],
    ['https://user:se@cret@host.example/a@b', 'https://host.example/a@b'],
    ['HTTPS://user:secret@host.example', 'HTTPS://host.example'],
    ['https://\\user:secret@host.example', 'https://host.example'],
    [
      'see https://a:secret@one.example and https://b:secret@two.example',
      'see https://one.example and https://two.example',
    ],
    ['https://host.example/?mail=a@example.com', 'https://host.example/?mail=a@example.com'],
    ['a@example.com', 'a@example.com'],
  ])('have no user information: %s', (value, shown) => {
    expect(find('NAME', { NAME: value })?.value).toBe(shown);
    expect(find('NAME', { NAME_FILE: write(value) })?.value).toBe(shown);
  });

  it('of an address have no query', () => {
    expect(find('ENDPOINT', { ENDPOINT: 'https://u:p@host.example:4318/v1?key=secret#part' })?.value).toBe(
      'https://host.example:4318/v1',
    );
  });
});
