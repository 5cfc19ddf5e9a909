import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Files of PEM: a CA of a test's own, and a certificate that it signed. */
export interface Certificates {
  ca: string;
  certificate: string;
  key: string;
  remove(): Promise<void>;
}

const ecKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Makes them for these hosts by the program `openssl`, valid for a day. */
export function makeCertificates(...hosts: string[]): Promise<Certificates> {
  return makeCertificatesFor(1, ...hosts);
}

/** The same for a number of days; below 0 they have ended. */
export async function makeCertificatesFor(days: number, ...hosts: string[]): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-tls-'));
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd: folder });
  await writeFile(join(folder, 'extensions'), `subjectAltName=${hosts.map((host) => `DNS:${host}`)}\n`);
  const ca = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=CA of a test', '-days', '400'];
  await openssl('req', '-x509', ...ecKey, ...ca);
  await openssl('req', ...ecKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', `/CN=${hosts[0]}`);
  const signing = [
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    String(days),
    '-extfile',
    'extensions',
  ];
  await openssl('x509', '-req', '-in', 'server.csr', ...signing, '-out', 'server.pem');
  // A database server that root starts runs as another user.
  await Promise.all([chmod(folder, 0o755), chmod(join(folder, 'server.key'), 0o644)]);
  return {
    ca: join(folder, 'ca.pem'),
    certificate: join(folder, 'server.pem'),
    key: join(folder, 'server.key'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
