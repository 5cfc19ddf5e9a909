import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Dialect } from '@gatehouse/service-kit/database';
import { call } from './call.ts';
import { type Gatehouse, startGatehouse, startReplicatedGatehouse } from './gatehouse.ts';
import type { ServiceProcess } from './service-process.ts';
import { testReplicas } from './test-database.ts';

/** The kinds that several files of tests ask at the same time: each is started once in a run of Jest. */
interface Kind {
  dialect: Dialect;
  replicas: number;
}

/** The values that a file learns of services that are not its own. */
type Shown = Pick<Gatehouse, 'authUrl' | 'baseUrl' | 'env'>;

/** Where a file asks for them; Jest's own process sets it before any file runs. */
const variable = 'GATEHOUSE_SHARED_BY';

/** Runs in Jest's own process, which outlives its workers: starts what a file asks for, unless another asked before it. */
export async function shareGatehouses(): Promise<{ stop(): Promise<void> }> {
  const started = new Map<string, Promise<Gatehouse>>();
  const find = (kind: Kind) => {
    const key = `${kind.dialect} ${kind.replicas}`;
    const found = started.get(key) ?? start(kind);
    started.set(key, found);
    return found;
  };
  const server = createServer((request, response) => void answer(request, response, find));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env[variable] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async stop() {
      server.close();
      const ended = await Promise.allSettled(started.values());
      await Promise.all(ended.map((each) => (each.status === 'fulfilled' ? each.value.stop() : undefined)));
    },
  };
}

function start({ dialect, replicas }: Kind): Promise<Gatehouse> {
  return replicas > 1 ? startReplicatedGatehouse({ dialect }) : startGatehouse({ dialect });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  find: (kind: Kind) => Promise<Gatehouse>,
): Promise<void> {
  try {
    const { authUrl, baseUrl, env } = await find((await json(request)) as Kind);
    const shown: Shown = { authUrl, baseUrl, env };
    response.writeHead(200).end(JSON.stringify(shown));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

/**
 * Both services, for a file that asks and changes nothing which others see: it makes the clients and users that it needs.
 * They go on when the file ends. Where nobody shares any, they are the file's own.
 */
export async function useSharedGatehouse(dialect: Dialect): Promise<Gatehouse> {
  const url = process.env[variable];
  if (url === undefined) return startGatehouse({ dialect });
  const kind: Kind = { dialect, replicas: testReplicas };
  const { status, text, json: read } = await call(url, { json: kind });
  if (status !== 200) throw new Error(text);
  const shown = read<Shown & Record<string, unknown>>();
  return {
    ...shown,
    authServer: showService(shown.authUrl),
    orgApi: showService(shown.baseUrl),
    output: refuse,
    stop: async () => {},
  };
}

function showService(url: string): ServiceProcess {
  return { url, pid: 0, startedIn: 0, output: refuse, stop: refuse };
}

function refuse(): never {
  throw new Error('other files use these services too: start your own to stop them or to read what they write');
}
