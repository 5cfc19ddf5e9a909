import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { checkPorts } from '../check-ports.mjs';
import { readSettings } from '../read-settings.mjs';

const host = '127.0.0.1';
const servers: Server[] = [];

async function listen(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => resolve(true));
  });
  if (isListening) servers.push(server);
  return isListening;
}

async function close(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
}

/** The first of three ports in a row that are free, as are the rows 100 and 200 above. */
async function findRow(): Promise<number> {
  for (let first = 20_000 + (process.pid % 10_000); ; first += 3) {
    const ports = [0, 100, 200].flatMap((row) => [first + row, first + row + 1, first + row + 2]);
    const free = await Promise.all(ports.map(listen));
    await close();
    if (free.every(Boolean)) return first;
  }
}

const faultOf = (env: Record<string, string>) =>
  checkPorts(readSettings(env), env, 'npm start').then(
    () => undefined,
    (error: Error) => error.message,
  );

describe('a taken port at npm start', () => {
  afterEach(close);

  test('is nothing to speak of where there is none', async () => {
    expect(await faultOf({ PORT: String(await findRow()) })).toBeUndefined();
  });

  test('is answered with a PORT whose three ports are free', async () => {
    const port = await findRow();
    for (const each of [port + 2, port + 101]) await listen(each);
    expect(await faultOf({ PORT: String(port) })).toMatch(
      new RegExp(`^port ${port + 2} is taken by .*: stop .*, such as \`PORT=${port + 200} npm start\`$`),
    );
  });

  test('is answered with the URLs where URLs choose the ports, and keeps those that are free', async () => {
    const port = await findRow();
    await listen(port);
    const env = { AUTH_URL: `http://localhost:${port}`, BASE_URL: `http://api.localhost:${port + 1}` };
    const demo = { DEMO_URL: `http://localhost:${port + 2}` };
    expect(await faultOf({ ...env, ...demo })).toContain(
      `\`AUTH_URL=http://localhost:${port + 100} BASE_URL=${env.BASE_URL} DEMO_URL=${demo.DEMO_URL} npm start\``,
    );
  });

  test('is answered with DEMO_URL alone where the demo application has one, and PORT stays', async () => {
    const port = await findRow();
    await listen(port + 102);
    expect(await faultOf({ PORT: String(port), DEMO_URL: `http://localhost:${port + 102}` })).toContain(
      `\`PORT=${port} DEMO_URL=http://localhost:${port + 202} npm start\``,
    );
  });
});
