import { createServer } from 'node:net';
import { type DatabaseUrl, parseDatabaseUrl } from '@gatehouse/service-kit/database';
import { createRelay, type RelayObserver } from './relay.ts';

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
    () => createCommandReader((statement) => statements.push(statement)),
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

/** Commands of the client/server protocol that carry a statement. */
const query = 0x03;
const prepare = 0x16;
const headerLength = 4;
/** The capability with which a query has attributes before its text. MySQL has it since 8.0.23, MariaDB has not. */
const queryAttributes = 0x08000000;
/** How many attributes there are, and how many sets of them. The services send no attribute, in one set. */
const attributesLength = 2;

/** Reads packets: three bytes of length, one of sequence, which is 0 for a command; then the command and its text. */
function createCommandReader(onStatement: (statement: string) => void): Required<RelayObserver> {
  let pending = Buffer.alloc(0);
  let capabilities: number | undefined;
  const startOfText = (command: number) => {
    const hasAttributes = command === query && ((capabilities ?? 0) & queryAttributes) !== 0;
    return headerLength + 1 + (hasAttributes ? attributesLength : 0);
  };
  return {
    sent(chunk) {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= headerLength) {
        const end = headerLength + pending.readUIntLE(0, 3);
        if (pending.length < end) return;
        const [sequence, command] = [pending[3], pending[headerLength]];
        if (sequence === 0 && (command === query || command === prepare)) {
          onStatement(pending.toString('utf8', startOfText(command), end));
        }
        pending = pending.subarray(end);
      }
    },
    answered(chunk) {
      capabilities ??= readCapabilities(chunk);
    },
  };
}

/** Of a server's greeting, its first packet. The driver uses what the server has. */
function readCapabilities(greeting: Buffer): number {
  // A version of the protocol, the server's version up to a zero byte; then the number of the connection, data and a filler.
  const lower = greeting.indexOf(0, headerLength + 1) + 1 + 4 + 8 + 1;
  // Between the halves stand a character set and the status.
  return greeting.readUInt16LE(lower) + greeting.readUInt16LE(lower + 5) * 0x10000;
}
