import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readBundle, runConvert } from '../support/convert.ts';

const fixtures = new URL('fixtures/keycloak', import.meta.url).pathname;

describe('gatehouse convert', () => {
  let folder: string;
  let out: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-bundle-'));
    out = join(folder, 'bundle.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };

  test('compresses a bundle whose name ends so, says what it wrote, and ends with 2 where there are notes', async () => {
    out += '.gz';
    const { code, stdout } = await runConvert('convert', 'keycloak', fixtures, '--out', out, '--output', 'json');
    expect(code).toBe(2);
    const { lines } = readBundle(out);
    const said = JSON.parse(stdout);
    expect(said).toMatchObject({ bundle: out, lines: { user: lines.filter(({ kind }) => kind === 'user').length } });
    expect(said.notes.saml_client).toBe(1);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  test('writes over no file, and leaves none behind where the source is bad', async () => {
    writeFileSync(out, 'mine');
    await expect(runConvert('convert', 'keycloak', fixtures, '--out', out)).rejects.toThrow(
      `bundle: ${out} is there already`,
    );
    expect(readFileSync(out, 'utf8')).toBe('mine');
    rmSync(out);
    const realm = write('a-realm.json', { realm: 'a', keycloakVersion: '26.5.6', clients: [] });
    const users = write('a-users-0.json', '{ "realm": "a", "users": [');
    await expect(runConvert('convert', 'keycloak', realm, users, '--out', out)).rejects.toThrow(`${users} is no JSON`);
    expect(existsSync(out)).toBe(false);
  });

  test('has a note in place of a line beyond 64 KiB', async () => {
    const clientRoles = { shop: Array.from({ length: 900 }, (_, index) => `${'r'.repeat(100)}${index}`) };
    const roles = { client: { shop: clientRoles.shop.map((name) => ({ name })) } };
    const users = [{ id: 'x', username: 'big@example.com', enabled: true, clientRoles }];
    const realm = write('a.json', {
      realm: 'a',
      keycloakVersion: '26.5.6',
      clients: [{ clientId: 'shop' }],
      roles,
      users,
    });
    await runConvert('convert', 'keycloak', realm, '--out', out);
    const { lines } = readBundle(out);
    expect(lines).toContainEqual({ kind: 'note', about: 'user big@example.com', problem: 'line_too_long' });
    expect(lines.filter(({ kind }) => kind === 'user')).toEqual([]);
  });

  test('refuses a file beyond 256 MiB before it reads it', async () => {
    const path = write('large.json', '');
    truncateSync(path, 256 * 1024 * 1024 + 1);
    await expect(runConvert('convert', 'keycloak', path, '--out', out)).rejects.toThrow('larger than 256 MiB');
  });

  test.each([
    ['files of two realms', { realm: 'b', users: [] }, 'of a and of another realm'],
    ['a file of something else', { name: 'x' }, 'is no export of a realm of Keycloak'],
  ])('refuses %s', async (_what, content, text) => {
    const realm = write('a-realm.json', { realm: 'a', keycloakVersion: '26.5.6', clients: [] });
    const other = write('other.json', content);
    await expect(runConvert('convert', 'keycloak', realm, other, '--out', out)).rejects.toThrow(text);
  });

  test('needs the file of the realm', async () => {
    const users = write('a-users-0.json', { realm: 'a', users: [] });
    await expect(runConvert('convert', 'keycloak', users, '--out', out)).rejects.toThrow('no file has a realm');
    await expect(runConvert('convert', 'keycloak', join(folder, 'none'), '--out', out)).rejects.toThrow('ENOENT');
  });

  test.each([
    [[], '--out names the bundle to write'],
    [['--out', 'x', '--usernames', 'name'], '--usernames takes email'],
    [['--out', 'x', '--usernames', 'domain:a@b'], '--usernames takes email'],
  ])('takes %j for wrong usage', async (args, text) => {
    await expect(runConvert('convert', 'keycloak', fixtures, ...args)).rejects.toThrow(text);
  });
});
