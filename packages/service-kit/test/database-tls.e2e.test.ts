import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Certificates,
  findFreePort,
  type MariaDbServer,
  makeCertificates,
  startMariaDbServer,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type Database, openDatabase } from '../src/database/database.ts';
import { parseDatabaseUrl } from '../src/database/database-url.ts';
import { migrateDatabase } from '../src/database/schema/migrate.ts';
import { testSchema, waitUntilReady } from './support/test-service.ts';

/** A server whose user `app` exists with any TLS, or with none at all. */
async function startServer(options: readonly string[], requirement: 'SSL' | 'NONE'): Promise<MariaDbServer> {
  const server = await startMariaDbServer(options);
  const root = await server.connectAsRoot();
  await root.query('CREATE DATABASE gatehouse');
  await root.query(`CREATE USER app@'%' IDENTIFIED BY 'app-password' REQUIRE ${requirement}`);
  await root.query("GRANT ALL ON gatehouse.* TO app@'%'");
  return server;
}

function tlsOf({ ca, certificate, key }: Certificates): string[] {
  return [`--ssl-ca=${ca}`, `--ssl-cert=${certificate}`, `--ssl-key=${key}`];
}

const urlOf = ({ port }: MariaDbServer, parameters = '') =>
  parseDatabaseUrl(`mysql://app:app-password@localhost:${port}/gatehouse${parameters}`);

/** Opens the database and gives what the log says by the time it fails. */
async function readFault(url: ReturnType<typeof urlOf>): Promise<{ fault: string; log: string }> {
  let log = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  const database = openDatabase({ url, ...testSchema, migrateOnStart: true, log: pino({ level: 'warn' }, stream) });
  while (!log.includes('database is not ready')) await sleep(20);
  const fault = await database.check().catch((error: Error) => error.message);
  await database.close();
  return { fault: String(fault), log };
}

const describeOnServers = testDialects.includes('mysql') ? describe : describe.skip;

describeOnServers('a database with tls=verify', () => {
  let certificates: Certificates;
  let elsewhere: Certificates;
  let server: MariaDbServer;
  let misnamed: MariaDbServer;
  let plain: MariaDbServer;
  let database: Database;

  beforeAll(async () => {
    [certificates, elsewhere] = (await Promise.all(
      ['localhost', 'db.example.com'].map((host) => makeCertificates(host)),
    )) as [Certificates, Certificates];
    server = await startServer(tlsOf(certificates), 'SSL');
    misnamed = await startServer(tlsOf(elsewhere), 'SSL');
    plain = await startServer(['--skip-ssl'], 'NONE');
  }, 180_000);
  afterAll(async () => {
    await database?.close();
    await Promise.all([server, misnamed, plain].map((each) => each?.drop()));
    await Promise.all([certificates, elsewhere].map((each) => each?.remove()));
  });

  it('is reached by every connection through TLS: the probe, migrations, the pool', async () => {
    const url = urlOf(server, `?tls=verify&tls-ca=${certificates.ca}`);
    await migrateDatabase({ url, ...testSchema });
    database = openDatabase({ url, ...testSchema, migrateOnStart: false, log: pino({ level: 'silent' }) });
    await waitUntilReady(database);
    const ciphers = await Promise.all(
      Array.from({ length: 10 }, () => database.query<{ Value: string }>("SHOW STATUS LIKE 'Ssl_cipher'")),
    );
    for (const [row] of ciphers) expect(row?.Value).toMatch(/^TLS_/);
  });

  it.each([
    ['answers', async () => await findFreePort()],
    ['has the certificate of its name', async () => misnamed.port],
  ])('is the next of several hosts where the first is none that %s', async (_what, findPort) => {
    const hosts = `localhost:${await findPort()},localhost:${server.port}`;
    const url = parseDatabaseUrl(`mysql://app:app-password@${hosts}/gatehouse?tls=verify&tls-ca=${certificates.ca}`);
    const other = openDatabase({ url, ...testSchema, migrateOnStart: true, log: pino({ level: 'silent' }) });
    await waitUntilReady(other);
    const [row] = await other.query<{ Value: string }>("SHOW STATUS LIKE 'Ssl_cipher'");
    expect(row?.Value).toMatch(/^TLS_/);
    await other.close();
  });

  it.each([
    ['another CA signed the certificate', () => urlOf(server, `?tls=verify&tls-ca=${elsewhere.ca}`), /certificate/],
    ['no CA is named and Node.js knows none', () => urlOf(server, '?tls=verify'), /certificate/],
    ['the certificate is another host’s', () => urlOf(misnamed, `?tls=verify&tls-ca=${elsewhere.ca}`), /altnames/],
    ['the server has no TLS', () => urlOf(plain, `?tls=verify&tls-ca=${certificates.ca}`), /does not support secure/],
  ])('is not used where %s, and the log says so', async (_what, url, reason) => {
    const { fault, log } = await readFault(url());
    expect(fault).toBe('no TLS connection to it; the log says why');
    expect(log).toMatch(reason);
    expect(log).not.toContain('app-password');
  });

  it('is not reached without TLS where it wants TLS, and is reached without where it has none, as before', async () => {
    expect((await readFault(urlOf(server))).fault).toMatch(/^the database server refuses the user/);
    const other = openDatabase({
      url: urlOf(plain, '?tls=off'),
      ...testSchema,
      migrateOnStart: true,
      log: pino({ level: 'silent' }),
    });
    await waitUntilReady(other);
    await other.close();
  });
});
