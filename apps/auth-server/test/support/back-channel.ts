import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { readClaims } from './realm.ts';

export type BackChannel = Awaited<ReturnType<typeof listenAtBackChannel>>;

/** The back channel of clients. */
export async function listenAtBackChannel() {
  /** The logout tokens, as they came. */
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    received.push(new URLSearchParams(await text(request)).get('logout_token') ?? '');
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`;
  /** The clients that were told, once there are so many. */
  const tellOf = async (sid: string | undefined, count: number) => {
    const deadline = performance.now() + 5_000;
    const find = () => received.map((token) => readClaims(token)).filter((claims) => claims.sid === sid);
    while (find().length < count && performance.now() < deadline) await sleep(10);
    return find().map(({ aud }) => aud);
  };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { uri, received, tellOf, close };
}
