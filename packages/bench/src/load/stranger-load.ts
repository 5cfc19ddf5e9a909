import { request } from 'undici';

/*
 * Strangers, run as a process: `node stranger-load.js <port> <rate>`. Sends wrong passwords and wrong secrets at a steady
 * rate, from 1,000 addresses in turn, half of them /64s of one /48, until it is ended. Writes how many got which status.
 */

const [port = '', rate = ''] = process.argv.slice(2);
const addresses = 1_000;

const statuses = new Map<number | string, number>();
let sent = 0;

const timer = setInterval(() => void guess(sent++), 1_000 / Number(rate));
process.once('SIGTERM', () => {
  clearInterval(timer);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(statuses))}\n`, () => process.exit(0));
});

async function guess(index: number): Promise<void> {
  const status = await send(index).catch(() => 'error');
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

async function send(index: number): Promise<number> {
  const asUser = index % 2 === 0;
  const [path, name] = asUser ? ['/clients', `x${index}@example.com`] : ['/oauth/token', `nobody-${index}`];
  const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, {
    method: asUser ? 'GET' : 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${name}:wrong`).toString('base64')}`,
      'x-forwarded-for': addressOf(index % addresses),
      ...(asUser ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(asUser ? {} : { body: 'grant_type=client_credentials' }),
  });
  await body.dump();
  return statusCode;
}

function addressOf(host: number): string {
  return host % 4 < 2 ? `198.18.${host >> 8}.${host & 255}` : `2001:db8:bad:${host.toString(16)}::1`;
}
