import { startStatementRecorder } from '@gatehouse/test-kit';
import { expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { startScriptedServer } from './support/scripted-server.ts';

it.each([true, false])(
  'a recorded statement is the text that the service sent, where query attributes stand before it: %j',
  async (queryAttributes) => {
    const server = await startScriptedServer(undefined, { queryAttributes });
    const recorder = await startStatementRecorder(`mysql://app:hush@127.0.0.1:${server.port}/gatehouse`);
    const connection = await createConnection(recorder.url);
    try {
      await connection.query('SELECT name FROM users WHERE id = ?', [7]);
      await connection.query("DELETE FROM users WHERE name = 'ä'");
      const sent = ['SELECT name FROM users WHERE id = 7', "DELETE FROM users WHERE name = 'ä'"];
      expect(server.find(/users/)).toEqual(sent);
      expect(recorder.take()).toEqual(sent);
      expect(recorder.take()).toEqual([]);
    } finally {
      connection.destroy();
      await recorder.close();
      await server.close();
    }
  },
);
