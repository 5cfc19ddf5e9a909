import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Certificates,
  call,
  findFreePort,
  type MariaDbServer,
  makeCertificates,
  migrateService,
  repositoryRoot,
  type ServiceProcess,
  startMariaDbServer,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { V1Ingress } from '@kubernetes/client-node';
import { buildEnvironment, type Container, readComposeService, readPodContainer } from './support/container.ts';
import { parseSteps, readBlocks, readGuide, readSection } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { findSchemaFaults, type Manifest } from './support/kubernetes-schema.ts';
import { getManifest, hasKubectl, ofKind, parseManifests, serviceNames } from './support/manifests.ts';
import { describeWithNginx, type Nginx, startNginx } from './support/nginx.ts';
import { createStandIns, type StandIns } from './support/stand-ins.ts';
import { describeOnMysql } from './support/suite.ts';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
const page = readGuide('first-production-install.md');
const firstToken = readSection(page, '## The first token');
type ServiceName = (typeof serviceNames)[number];
/** Milliseconds; some seconds where the machine has nothing else to do. */
const patience = 180_000;

/** Both services as processes that are given what their containers would be, behind nginx, on a database server of their own. */
describeOnMysql('docs/guides/first-production-install.md', () => {
  describeWithNginx('its commands run as they stand, to a token over https', () => {
    let database: MariaDbServer;
    let standIns: StandIns;
    let nginx: Nginx;
    let certificates: Certificates;
    /** A clone, as far as the commands read it. */
    let clone: string;
    let ports: Record<ServiceName, number>;
    let running: ServiceProcess[];

    beforeAll(async () => {
      database = await startMariaDbServer();
    });
    afterAll(() => database?.drop());

    beforeEach(async () => {
      running = [];
      clone = mkdtempSync(join(tmpdir(), 'gatehouse-install-'));
      cpSync(join(repositoryRoot, 'infra'), join(clone, 'infra'), { recursive: true });
      ports = { 'auth-server': await findFreePort(), 'org-api': await findFreePort() };
      [standIns, certificates] = await Promise.all([
        createStandIns(),
        makeCertificates('auth.example.com', 'api.example.com'),
      ]);
      nginx = await startNginx({
        'server auth-server:9000;': `server 127.0.0.1:${ports['auth-server']};`,
        'server org-api:9001;': `server 127.0.0.1:${ports['org-api']};`,
      });
    });
    afterEach(async () => {
      await nginx?.stop();
      await Promise.all(running.map((service) => service.stop('SIGKILL')));
      const root = await database.connectAsRoot();
      for (const name of ['auth', 'org']) {
        await root.query(`DROP DATABASE IF EXISTS ${name}`);
        await root.query(`DROP USER IF EXISTS ${name}, ${name}_migration`);
      }
      await Promise.all([standIns?.remove(), certificates?.remove()]);
      rmSync(clone, { recursive: true, force: true });
    });

    /** What a container reaches by these names is here. */
    const adapt = (text: string) =>
      text
        .replace(/\b(mysql|mysql\.internal):3306\b/g, `127.0.0.1:${database.port}`)
        .replace('//auth-server:9000', `//127.0.0.1:${ports['auth-server']}`)
        .replace('//org-api:9001', `//127.0.0.1:${ports['org-api']}`);

    const runSql = async () => {
      const root = await database.connectAsRoot();
      const statements = standIns.read('sql').split(';');
      for (const statement of statements) if (statement.trim() !== '') await root.query(statement);
    };

    const startServices = async (readContainer: (name: string) => Container) => {
      const environmentOf = (name: string) =>
        buildEnvironment(readContainer(name), { folder: join(standIns.folder, name), adapt });
      await Promise.all(serviceNames.map(async (name) => migrateService(name, await environmentOf(`${name}-migrate`))));
      for (const name of serviceNames) {
        running.push(await startServiceProcess({ name, port: ports[name], env: await environmentOf(name) }));
      }
    };

    /** Adds the site and waits until it is there. */
    const startProxy = async (configuration: string) => {
      await nginx.addSite(nginx.adapt(configuration));
      await promisify(execFile)(join(nginx.folder, 'bin/nginx'), ['-s', 'reload']);
    };

    const run = (pages: string[], start: () => Promise<void>) => {
      const env = {
        ...process.env,
        ...nginx.env,
        PATH: `${standIns.folder}:${nginx.env.PATH}`,
        // The commands of compose make a CA of their own.
        CURL_CA_BUNDLE: certificates.ca,
      };
      const steps = parseSteps(pages.join('\n'));
      return Promise.all([standIns.whenStarted(start), doSteps(steps, { folder: clone, env }, patience - 10_000)]);
    };

    test(
      'with compose',
      async () => {
        const folder = join(clone, 'infra/production');
        await run(
          [readSection(page, '## The images'), readSection(page, '## Compose: one machine'), firstToken],
          async () => {
            const compose = readFileSync(join(folder, 'compose.yaml'), 'utf8');
            const readContainer = (name: string) =>
              readComposeService(compose, name, (path) => readFileSync(join(folder, path), 'utf8'));
            const built = standIns
              .read('docker.log')
              .split('\n')
              .map((line) => / -t (\S+) /.exec(line)?.[1]);
            for (const name of serviceNames) expect(built).toContain(readContainer(name).image);
            expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
            // As the image of MySQL sources it.
            const script = read('infra/k8s/overlays/dev/mysql/create-databases.sh');
            const here = script.replace('/run/secrets', join(folder, 'secrets'));
            const env = { PATH: `${standIns.folder}:${process.env.PATH}`, MYSQL_ROOT_PASSWORD: 'root-password' };
            await promisify(execFile)('bash', ['-euc', here], { env });
            await runSql();
            await startServices(readContainer);
            const configuration = readFileSync(join(folder, 'nginx.conf'), 'utf8');
            await startProxy(configuration.replaceAll('/etc/gatehouse/tls', join(folder, 'tls')));
          },
        );
      },
      patience,
    );

    const testKubernetes = hasKubectl || process.env.CI ? test : test.skip;
    testKubernetes(
      'on Kubernetes',
      async () => {
        let manifests: Manifest[] = [];
        await run([readSection(page, '## Kubernetes'), firstToken], async () => {
          // A dry run prints what only a cluster sets.
          const sent = standIns.read('manifests').replaceAll('  creationTimestamp: null\n', '');
          manifests = parseManifests(sent).filter((manifest) => manifest !== null);
          const { version: tag } = JSON.parse(read('package.json')) as { version: string };
          const workloadOf = (name: string) =>
            name.endsWith('-migrate') ? `Job/${name}-${tag}` : `Deployment/${name}`;
          // A user that may not change the schema is enough for a service.
          await runSql();
          await startServices((name) => readPodContainer(manifests, workloadOf(name)));
          const configuration = read('infra/production/nginx.conf');
          const withCertificate = configuration
            .replace('/etc/gatehouse/tls/server.pem', certificates.certificate)
            .replace('/etc/gatehouse/tls/server.key', certificates.key);
          await startProxy(withCertificate);
        });
        for (const manifest of manifests) expect(await findSchemaFaults(manifest)).toEqual([]);
        for (const { spec } of ofKind<V1Ingress>(manifests, 'Ingress')) {
          expect(spec?.tls?.[0]?.hosts).toEqual(spec?.rules?.map(({ host }) => host));
        }
        for (const name of serviceNames) {
          expect(await listUnrouted(manifests, name, `http://127.0.0.1:${ports[name]}`)).toEqual([]);
        }
      },
      patience,
    );
  });
});

/** Paths of the description of a service that its Ingress does not lead to, but for those that are for the cluster. */
async function listUnrouted(manifests: Manifest[], name: string, url: string): Promise<string[]> {
  const { paths } = (await call(`${url}/openapi.json`)).json<{ paths: Record<string, unknown> }>();
  const { spec } = getManifest<V1Ingress>(manifests, `Ingress/${name}`);
  const routes = spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
  const isRouted = (path: string) =>
    routes.some(({ path: route, pathType }) =>
      pathType === 'Exact' ? path === route : `${path}/`.startsWith(`${route}/`),
    );
  const ofCluster = /^\/(health|metrics|internal)\b/;
  return Object.keys(paths).filter((path) => !ofCluster.test(path) && !isRouted(path));
}

describe('infra/production/nginx.conf', () => {
  test('is the configuration of the guide, with the services of compose behind it', () => {
    const [ofGuide = ''] = readBlocks(readGuide('a-proxy-in-front.md'), 'nginx');
    expect(read('infra/production/nginx.conf')).toBe(
      ofGuide.replace('127.0.0.1:9000', 'auth-server:9000').replace('127.0.0.1:9001', 'org-api:9001'),
    );
  });
});
