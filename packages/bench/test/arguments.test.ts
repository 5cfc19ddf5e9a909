import { describe, expect, it } from '@jest/globals';
import { parseArguments } from '../src/arguments.ts';
import { cases, chooseCases } from '../src/cases/index.ts';

const mysql = 'mysql://user:password@127.0.0.1:3306/name';

describe('arguments', () => {
  it('ask for everything, long enough, on SQLite, unless they say otherwise', () => {
    const expected = { database: 'sqlite', cases: undefined, rounds: 5, seconds: 5, connections: 64, name: 'sqlite' };
    expect(parseArguments([], {})).toMatchObject(expected);
  });
  it('take the database from BENCH_MYSQL_URL before TEST_MYSQL_URL, and --database before both', () => {
    const env = { BENCH_MYSQL_URL: `${mysql}1`, TEST_MYSQL_URL: `${mysql}2` };
    expect(parseArguments([], env).database).toBe(`${mysql}1`);
    expect(parseArguments([], { TEST_MYSQL_URL: `${mysql}2` })).toMatchObject({ database: `${mysql}2`, name: 'mysql' });
    expect(parseArguments(['--database', 'sqlite'], env).database).toBe('sqlite');
  });
  it('may be quick, with a size that was named still winning', () => {
    const quick = parseArguments(['--quick', '--rounds', '2', '--cases', 'jwks,start'], {});
    expect(quick).toMatchObject({ rounds: 2, seconds: 1, cases: ['jwks', 'start'], name: 'sqlite-quick' });
  });
  it.each([
    [['--rounds', '0'], '--rounds'],
    [['--seconds', 'ten'], '--seconds'],
    [['--connections', '-1'], '--connections'],
    [['--name', '../elsewhere'], '--name'],
    [['--scale', '2'], '--scale'],
    [['--fast'], '--fast'],
  ])('%j are refused by name', (args, name) => expect(() => parseArguments(args, {})).toThrow(name));
});

describe('cases', () => {
  const namesOf = (chosen: readonly { name: string }[]) => chosen.map(({ name }) => name);

  it('are those that every machine can run unless some are named', () => {
    const run = namesOf(chooseCases(undefined));
    expect(namesOf(cases).filter((name) => !run.includes(name))).toEqual(['console', 'distance']);
    expect(namesOf(chooseCases(['start', 'console', 'jwks']))).toEqual(['jwks', 'start', 'console']);
  });
  it('that there are not are refused, with those that there are', () => {
    expect(() => chooseCases(['jwks', 'teapot'])).toThrow(/no case teapot: client_credentials, /);
  });
  it('have names of their own', () => expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length));
});
