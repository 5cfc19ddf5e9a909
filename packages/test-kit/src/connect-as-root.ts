import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection } from 'mysql2/promise';

/** Connects to a server that was just started, as soon as it answers: within a minute, and while its process runs. */
export async function connectAsRoot(port: number, server: ChildProcess): Promise<Connection> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    try {
      const connection = await createConnection({ host: '127.0.0.1', port, user: 'root' });
      // A test that kills the server expects this.
      connection.on('error', () => {});
      return connection;
    } catch (error) {
      if (performance.now() > deadline || server.exitCode !== null) throw error;
      await sleep(100);
    }
  }
}
