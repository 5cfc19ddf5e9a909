import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { audience, type Issuer, startIssuer } from './support/issuer.ts';

const run = promisify(execFile);
const packageFolder = fileURLToPath(new URL('..', import.meta.url));
const root = join(packageFolder, '../..');

/** Where a package of this repository is installed, whatever version others have. */
const installed = (name: string) => {
  const resolved = fileURLToPath(import.meta.resolve(name));
  return resolved.slice(0, resolved.lastIndexOf(`node_modules/${name}`) + `node_modules/${name}`.length);
};

const consumer = `
import { createServer } from 'node:http';
import { type AccessToken, TokenError, verifier } from '@gatehouse/resource-server';
import { resourceServer as ofExpress } from '@gatehouse/resource-server/express';
import { resourceServer as ofFastify } from '@gatehouse/resource-server/fastify';
import express from 'express';
import { fastify } from 'fastify';

const options = { issuer: process.argv[2] ?? '', audience: '${audience}', fetch };
const { verify, close } = verifier(options);
const headers = { authorization: \`Bearer \${process.argv[3]}\` };
const token: AccessToken = await verify({ method: 'GET', url: '/', headers }, { scope: ['orders:read'] });
console.log(token.subject);
await verify({ method: 'GET', url: '/', headers }, { scope: ['other'] }).catch((error: unknown) => {
  if (error instanceof TokenError) console.log(error.status, error.code);
});
close();

const app = fastify();
await app.register(ofFastify, options);
app.get('/', { onRequest: app.requireScope('orders:read') }, (request) => request.accessToken?.subject);
console.log((await app.inject({ url: '/', headers })).body);
await app.close();

const api = ofExpress(options);
const pages = express();
pages.use(api);
pages.get('/', api.requireToken, (request, response) => void response.send(request.accessToken?.subject));
const server = createServer(pages);
server.close();
api.close();
`;

const compilerOptions = {
  ...{
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
  },
  ...{ noUncheckedIndexedAccess: true, types: ['node'], outDir: 'out', skipLibCheck: true },
};

describe('the package as it is published', () => {
  let folder: string;
  let issuer: Issuer;
  let packed: string;
  const npm = (parameters: string[], cwd: string) => run('npm', parameters, { cwd });

  beforeAll(async () => {
    issuer = await startIssuer();
    folder = await mkdtemp(join(tmpdir(), 'resource-server-'));
    const pack = async (of: string) => {
      const { stdout } = await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder, of], folder);
      // An answer of npm may be a list, or an object by name.
      const [{ filename }] = Object.values(JSON.parse(stdout)) as [{ filename: string }];
      return join(folder, filename.replaceAll('/', '-').replace(/^@/, ''));
    };
    packed = await pack(packageFolder);
    const project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
    // Its dependencies come from here too, so that no registry is asked.
    const needed = await Promise.all(['jose', 'lru-cache'].map((name) => pack(installed(name))));
    await npm(['install', '--offline', '--no-audit', '--no-fund', packed, ...needed], project);
    // The frameworks are those of this repository, as a consumer has one of them already.
    for (const name of ['fastify', 'express', '@types/express', '@types/node']) {
      const link = join(project, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(root, 'node_modules', name), link);
    }
    await writeFile(join(project, 'consumer.ts'), consumer);
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['consumer.ts'] }));
  });
  afterAll(async () => {
    await issuer.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has code, types, README and licence, and nothing else', async () => {
    const { stdout } = await run('tar', ['-tzf', packed]);
    const files = stdout.trim().split('\n');
    for (const file of [
      'README.md',
      'LICENSE',
      'package.json',
      'dist/index.js',
      'dist/fastify.d.ts',
      'dist/express.js',
    ]) {
      expect(files).toContain(`package/${file}`);
    }
    expect(
      files.filter((file) => !/^package\/(dist\/.+\.(js|d\.ts)|README\.md|LICENSE|package\.json)$/.test(file)),
    ).toEqual([]);
  });

  it('depends on nothing of this repository, and is not private', async () => {
    const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
    expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('@gatehouse/'))).toEqual([]);
    expect([manifest.private, manifest.type]).toEqual([undefined, 'module']);
  });

  it('type-checks and runs in an empty project', async () => {
    const project = join(folder, 'project');
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], { cwd: project });
    const token = await issuer.token({ sub: 'somebody' });
    const { stdout } = await run(process.execPath, ['out/consumer.js', issuer.url, token], { cwd: project });
    expect(stdout.trim().split('\n')).toEqual(['somebody', '403 insufficient_scope', 'somebody']);
  });
});
