import { describe, expect, it } from '@jest/globals';
import { causally, createClusterStatements, plainly } from '../src/database/cluster-statements.ts';
import type { PlainStatements } from '../src/database/plain-statements.ts';

describe('statements where several servers take writes', () => {
  /** What each kind of connection was sent. `execute`: the rows that it matches, or its fault. */
  const create = (plain: number | Error, causal: number | Error = 1) => {
    const sent: string[] = [];
    const connections = (kind: string, execute: number | Error): PlainStatements => ({
      query: async <Row>() => {
        sent.push(`${kind} query`);
        return [] as Row[];
      },
      execute: async () => {
        sent.push(`${kind} write`);
        if (execute instanceof Error) throw execute;
        return execute;
      },
    });
    return { sent, ...createClusterStatements(connections('plain', plain), connections('causal', causal)) };
  };
  const conflict = Object.assign(new Error('conflict'), { code: 'ER_LOCK_DEADLOCK' });

  it('are causal where they read, unless the answer refuses and allows nothing', async () => {
    const { query, sent } = create(1);
    await query('SELECT 1', []);
    await query('SELECT 1', [], causally);
    await query('SELECT 1', [], plainly);
    expect(sent).toEqual(['causal query', 'causal query', 'plain query']);
  });

  it('are plain where they write, unless they have to find all of their rows', async () => {
    const { execute, sent } = create(3, 2);
    expect([await execute('DELETE', []), await execute('DELETE', [], plainly)]).toEqual([3, 3]);
    expect(await execute('DELETE', [], causally)).toBe(2);
    expect(sent).toEqual(['plain write', 'plain write', 'causal write']);
  });

  it.each([
    ['matched no row', 0],
    ['conflicts with one that the server does not have yet', conflict],
  ])('are sent again where a write %s', async (_why, plain) => {
    const { execute, sent } = create(plain, 2);
    expect(await execute('UPDATE', [])).toBe(2);
    expect(sent).toEqual(['plain write', 'causal write']);
  });

  it('are not sent again after any other fault', async () => {
    const fault = new Error('away');
    const { execute, sent } = create(fault);
    await expect(execute('UPDATE', [])).rejects.toBe(fault);
    expect(sent).toEqual(['plain write']);
  });
});
