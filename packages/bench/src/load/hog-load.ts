import { Pool } from 'undici';

/*
 * A caller with valid credentials who asks for as many slow hashes as it can, run as a process: `node hog-load.js <port>
 * <requests>`, where each request is {path, headers, body, addresses} in JSON, `#` in its body stands for a number of its own,
 * and `connections` of them run at the same moment until it is ended. Writes how many got which status.
 */

interface Hog {
  connections: number;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Addresses that the requests name in turn. */
  addresses: string[];
}

const [port = '', text = ''] = process.argv.slice(2);
const { connections, path, headers, body, addresses } = JSON.parse(text) as Hog;
const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
const statuses = new Map<number | string, number>();
let sent = 0;
let isEnding = false;

process.once('SIGTERM', () => {
  isEnding = true;
  process.stdout.write(`${JSON.stringify(Object.fromEntries(statuses))}\n`, () => process.exit(0));
});
await Promise.all(Array.from({ length: connections }, hog));

async function hog(): Promise<void> {
  while (!isEnding) {
    const status = await send(sent++).catch(() => 'error');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
}

async function send(index: number): Promise<number> {
  const response = await pool.request({
    method: 'POST',
    path,
    headers: { ...headers, 'x-forwarded-for': addresses[index % addresses.length] ?? '' },
    body: body.replaceAll('#', `${process.pid}-${index}`),
  });
  await response.body.dump();
  return response.statusCode;
}
