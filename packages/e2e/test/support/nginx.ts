import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@gatehouse/test-kit';
import { describe } from '@jest/globals';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { waitFor } from './wait.ts';

const program = process.env.NGINX_PATH ?? '/usr/sbin/nginx';
const hasNginx = existsSync(program);
if (!hasNginx) process.stderr.write(`${program} is missing: what stands behind nginx is not tested\n`);

/** Where nginx is missing these tests fail in CI; elsewhere they are left out. */
export function describeWithNginx(title: string, define: () => void): void {
  const group = hasNginx || process.env.CI ? describe : describe.skip;
  group(title, define);
}

/** An nginx of a test's own that has no sites yet, in a folder that stands for the machine's. */
export interface Nginx {
  folder: string;
  httpsPort: number;
  /** A file or a command of a page with the ports and folders of the test in the place of the machine's. */
  adapt(text: string): string;
  addSite(configuration: string): Promise<void>;
  /** Variables with which the commands `nginx` and `curl` mean this one, whatever the host of a URL. */
  env: Record<string, string>;
  /** Connections to it, whatever the host of a URL, which trust the CA in this file. */
  connect(caFile: string): Dispatcher;
  stop(): Promise<void>;
}

/** `adaptMore`: further words of the pages and what they are here. */
export async function startNginx(adaptMore: Record<string, string> = {}): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-nginx-'));
  const [httpPort, httpsPort] = [await findFreePort(), await findFreePort()];
  await writeFile(join(folder, 'nginx.conf'), buildMainConfiguration(folder));
  await Promise.all(['conf.d', 'temporary', 'bin'].map((name) => mkdir(join(folder, name))));
  await writeCommands(folder, { httpPort, httpsPort });
  const child = spawn(join(folder, 'bin/nginx'), ['-g', 'daemon off;'], { stdio: 'inherit' });
  await waitFor(async () => existsSync(join(folder, 'nginx.pid')), Boolean);
  const words: Record<string, string> = {
    ...adaptMore,
    'listen 80;': `listen 127.0.0.1:${httpPort};`,
    'listen 443 ': `listen 127.0.0.1:${httpsPort} `,
    '/var/cache/nginx': join(folder, 'temporary'),
    '/etc/gatehouse': join(folder, 'gatehouse'),
  };
  return {
    folder,
    httpsPort,
    adapt: (text) => Object.entries(words).reduce((adapted, [word, here]) => adapted.replaceAll(word, here), text),
    addSite: (configuration) => writeFile(join(folder, 'conf.d/gatehouse.conf'), configuration),
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, CURL_HOME: folder },
    connect: (caFile) => connectTo(httpsPort, readFileSync(caFile, 'utf8')),
    async stop() {
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** As Debian's, but that nothing is written elsewhere. */
function buildMainConfiguration(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${folder}/temporary/${name};`,
  );
  return [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    `pid ${folder}/nginx.pid;`,
    `error_log ${folder}/error.log;`,
    'worker_processes 1;',
    'events { worker_connections 768; }',
    'http {',
    '  access_log off;',
    ...temporary,
    `  include ${folder}/conf.d/*.conf;`,
    '}\n',
  ].join('\n');
}

async function writeCommands(folder: string, { httpPort, httpsPort }: { httpPort: number; httpsPort: number }) {
  const command = join(folder, 'bin/nginx');
  const main = `-p ${folder} -c ${folder}/nginx.conf -e ${folder}/error.log`;
  await writeFile(command, `#!/bin/sh\nexec ${program} ${main} "$@"\n`);
  await chmod(command, 0o755);
  const curl = [
    `connect-to = ":443:127.0.0.1:${httpsPort}"`,
    `connect-to = ":80:127.0.0.1:${httpPort}"`,
    // The new configuration is in force a moment after `nginx -s reload` has ended.
    'retry = 20',
    'retry-delay = 1',
    'retry-connrefused',
  ];
  await writeFile(join(folder, '.curlrc'), `${curl.join('\n')}\n`);
}

function connectTo(port: number, ca: string): Dispatcher {
  const connector = buildConnector({ ca });
  return new Agent({
    connect: (options, callback) =>
      connector({ ...options, servername: options.hostname, hostname: '127.0.0.1', port: String(port) }, callback),
  });
}
