import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, type ServiceName, startServiceProcess } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const services: ServiceName[] = ['auth-server', 'org-api'];

describe.each(services)('the SQLite files of %s', (name) => {
  let folder: string;
  let umask: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-files-'));
    umask = process.umask(0);
  });
  afterEach(async () => {
    process.umask(umask);
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts the service on the database, and gives the modes of its files while it runs. */
  const readModes = async (path: string) => {
    const port = await findFreePort();
    const env = { DATABASE_URL: `sqlite:${path}`, KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const service = await startServiceProcess({ name, port, env });
    try {
      const files = (await readdir(join(path, '..'))).sort();
      const modes = await Promise.all(files.map((file) => modeOf(join(path, '..', file))));
      return Object.fromEntries(files.map((file, index) => [file, modes[index]]));
    } finally {
      expect(await service.stop()).toBe(0);
    }
  };

  test('are for the user of the process alone, whatever the umask, and so is their folder', async () => {
    const path = join(folder, 'new', 'data.sqlite');
    expect(await readModes(path)).toEqual({ 'data.sqlite': '600', 'data.sqlite-shm': '600', 'data.sqlite-wal': '600' });
    expect(await modeOf(join(folder, 'new'))).toBe('700');
  });

  test('of an earlier release lose the rights of others, and keep those of their group', async () => {
    const path = join(folder, 'data.sqlite');
    await writeFile(path, '', { mode: 0o644 });
    const modes = await readModes(path);
    expect(modes).toEqual({ 'data.sqlite': '640', 'data.sqlite-shm': '640', 'data.sqlite-wal': '640' });
  });
});

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}
