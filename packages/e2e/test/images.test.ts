import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repositoryRoot } from '@gatehouse/test-kit';
import { describe, expect, test } from '@jest/globals';
import { readRepositoryFile, serviceNames } from './support/manifests.ts';

const run = promisify(execFile);

describe.each(serviceNames)('the image of %s', (name) => {
  test('ends its build with a start that comes to an end, and tells a service that loads from one that does not', async () => {
    const dockerfile = readRepositoryFile(`infra/docker/${name}.Dockerfile`);
    const [, check = ''] = /^RUN (.*\/dist\/main\.js.*?) && /m.exec(dockerfile) ?? [];
    const env = { PATH: process.env.PATH, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0' };
    const start = (command: string) => run('timeout', ['20', 'sh', '-c', command], { cwd: repositoryRoot, env });

    const { stdout } = await start(check);
    expect(stdout).toMatch(/^configuration: .+\n$/);
    await expect(start(check.replace('main.js', 'missing.js'))).rejects.toMatchObject({ code: 1 });
  });
});
