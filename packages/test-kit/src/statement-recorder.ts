import { createServer } from 'node:net';
import { type DatabaseUrl, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { createRelay } from './relay.ts';

/**
 * Stands between a service and its MySQL or MariaDB server and writes down every statement on its way, as the service
 * sends it: nothing of the server is changed, and no statement is copied from the code.
 */
export interface StatementRecorder {
  /** For `DATABASE_URL`: the same database, by way of the recorder. */
  url: string;
  /** The statements since the last call, in their order. A placeholder of a prepared one stands as it is: `?`. */
  take(): string[];
  close(): Promise<void>;
}

/** `databaseUrl`: mysql:// alone. */
export async function startStatementRecorder(databaseUrl: string): Promise<StatementRecorder> {
  const server = getMysqlServer(databaseUrl);
  let statements: string[] = [];
  const relay = createRelay(
    () => ({ host: server.host, port: server.port }),
    () => ({ sent: createCommandReader((statement) => statements.push(statement)) }),
  );
  const proxy = createServer((client) => relay.accept(client));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { port: number };
  const credentials = `${encodeURIComponent(server.user)}:${encodeURIComponent(server.password)}`;
  return {
    url: `mysql://${credentials}@127.0.0.1:${port}/${server.database}`,
    take() {
      const taken = statements;
      statements = [];
      return taken;
    },
    close() {
      relay.cut();
      return new Promise((resolve) => proxy.close(() => resolve()));
    },
  };
}

function getMysqlServer(url: string): DatabaseUrl & { dialect: 'mysql' } {
  const server = parseDatabaseUrl(url);
  if (server.dialect !== 'mysql') throw new Error('only MySQL and MariaDB can be recorded');
  return server;
}

/** Commands of the client/server protocol that carry a statement: COM_QUERY and COM_STMT_PREPARE. */
const commandsWithText = new Set([0x03, 0x16]);
const headerLength = 4;

/** Reads packets: three bytes of length, one of sequence, which is 0 for a command; then the command and its text. */
function createCommandReader(onStatement: (statement: string) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0);
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= headerLength) {
      const end = headerLength + pending.readUIntLE(0, 3);
      if (pending.length < end) return;
      const [sequence, command] = [pending[3], pending[headerLength]];
      if (sequence === 0 && command !== undefined && commandsWithText.has(command)) {
        onStatement(pending.toString('utf8', headerLength + 1, end));
      }
      pending = pending.subarray(end);
    }
  };
}
