import { describe, expect, it } from '@jest/globals';
import type { Connection } from 'mysql2/promise';
import { identifyServer } from '../src/database/database-server.ts';

describe('a server that is asked what it is', () => {
  /** Answers as a server of that version, with those variables; `sent` has what it was told. */
  const ask = async (version: string, variables: Record<string, string>, refused?: Error) => {
    const sent: string[] = [];
    const query = async (sql: string) => {
      if (sql.startsWith('SET')) {
        sent.push(sql);
        if (refused !== undefined) throw refused;
      }
      if (sql.startsWith('SELECT')) return [[{ version }]];
      return [Object.entries(variables).map(([name, Value]) => ({ Variable_name: name, Value }))];
    };
    return { sent, server: await identifyServer({ query } as unknown as Connection) };
  };

  it('is MySQL or MariaDB with a single primary', async () => {
    expect(await ask('8.4.2', {})).toEqual({
      sent: [],
      server: { type: 'mysql', isMultiPrimary: false, causalSetting: undefined },
    });
    expect(await ask('11.4.2-MariaDB', { wsrep_on: 'OFF', wsrep_sync_wait: '0' })).toEqual({
      sent: [],
      server: { type: 'mariadb', isMultiPrimary: false, causalSetting: 'wsrep_sync_wait = 7' },
    });
    expect((await ask('8.4.2', { group_replication_single_primary_mode: 'ON' })).server.isMultiPrimary).toBe(false);
  });

  it.each([
    ['Galera', '11.4.2-MariaDB', { wsrep_on: 'ON', wsrep_sync_wait: '0' }, 'wsrep_sync_wait = 7'],
    [
      'Group Replication',
      '8.4.2',
      { group_replication_single_primary_mode: 'OFF' },
      "group_replication_consistency = 'BEFORE'",
    ],
  ])('is one of several primaries, by %s, whose setting is tried', async (_what, version, variables, causalSetting) => {
    const { sent, server } = await ask(version, variables as Record<string, string>);
    expect(server).toMatchObject({ isMultiPrimary: true, causalSetting });
    expect(sent).toEqual([`SET SESSION ${causalSetting}`]);
    const refused = new Error('access denied');
    await expect(ask(version, variables as Record<string, string>, refused)).rejects.toBe(refused);
  });
});
