import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { findFreePort, repositoryRoot } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readRepositoryFile, serviceNames } from './support/manifests.ts';

const run = promisify(execFile);

describe('the image of auth-server', () => {
  test('has the console, of the files that its build gets', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-image-'));
    try {
      const ignored = readRepositoryFile('.dockerignore').split('\n');
      const dockerfile = readRepositoryFile('infra/docker/auth-server.Dockerfile');
      const copied = [...dockerfile.matchAll(/^COPY --from=source \/repo\/(?!out\/)(\S+) \.\//gm)].map(
        ([, path = '']) => path,
      );
      // What no line of .dockerignore lets in is not there to be copied.
      const letIn = ignored.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
      const got = letIn.filter((path) => copied.some((from) => path === from || path.startsWith(`${from}/`)));
      const ofThis = (path: string) => !/[/\\](?:node_modules|dist|\.turbo)$/.test(path);
      for (const path of ['packages/console', 'apps/auth-server/src', ...got]) {
        await cp(join(repositoryRoot, path), join(folder, path), { recursive: true, filter: ofThis });
      }
      await symlink(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
      await run(process.execPath, ['build.mjs'], { cwd: join(folder, 'packages/console') });
      const listAssets = (root: string) => readdir(join(root, 'packages/console/dist/assets'));
      const built = await listAssets(repositoryRoot);
      expect((await listAssets(folder)).length).toBe(built.length);
      expect(built.length).toBeGreaterThan(50);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe.each(serviceNames)('the image of %s', (name) => {
  test('ends its build with a start that comes to an end, and tells a service that loads from one that does not', async () => {
    const dockerfile = readRepositoryFile(`infra/docker/${name}.Dockerfile`);
    const [, check = ''] = /^RUN (.*\/dist\/main\.js.*?) && /m.exec(dockerfile) ?? [];
    const env = { PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0' };
    const start = (command: string) => run('timeout', ['20', 'sh', '-c', command], { cwd: repositoryRoot, env });

    const { stdout } = await start(check);
    expect(stdout).toMatch(/^(configuration: .+\n)+$/);
    await expect(start(check.replace('main.js', 'missing.js'))).rejects.toMatchObject({ code: 1 });
  });

  describe('with the environment of its image', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'gatehouse-image-'));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    /** Starts the service as `docker run` does, with its data in `folder`. */
    const startImage = async (extra: Record<string, string> = {}) => {
      const [, variables = ''] = /^ENV (TRIAL_.*)$/m.exec(readRepositoryFile(`infra/docker/${name}.Dockerfile`)) ?? [];
      const image = Object.fromEntries(variables.split(' ').map((variable) => variable.split('=')));
      const env = { PATH: process.env.PATH, ...image, PORT: String(await findFreePort()), ...extra };
      return spawn(process.execPath, [join(repositoryRoot, `apps/${name}/dist/main.js`)], { cwd: folder, env });
    };

    test('works on SQLite where nothing but a port is given, and warns that it is a trial in development', async () => {
      const service = await startImage();
      try {
        const lines: string[] = [];
        for await (const line of createInterface(service.stdout)) {
          lines.push(line);
          if (line.includes('database is ready')) break;
        }
        const warnings = lines.filter((line) => line.includes('"level":"warn"'));
        expect(warnings).toEqual([expect.stringContaining('this is a trial in development mode')]);
        expect(await readdir(join(folder, '.data'))).toContain(`${name}.sqlite`);
      } finally {
        service.kill('SIGTERM');
        expect(await once(service, 'exit')).toEqual([0, null]);
      }
    });

    test.each<Record<string, string>>([{ NODE_ENV: 'production' }, { TRUST_PROXY: '1' }])(
      'refuses production without its settings: %j',
      async (env) => {
        const service = await startImage(env);
        const lines: string[] = [];
        for await (const line of createInterface(service.stderr)) lines.push(line);
        expect(lines).toEqual([
          expect.stringMatching(/^configuration: DATABASE_URL, AUTH_URL, BASE_URL must be set in production; /),
        ]);
        expect(await readdir(folder)).toEqual([]);
      },
    );
  });
});
