import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');

/** Every TypeScript file of a folder with the files that it imports, types too, relative to the folder. */
function readImports(folder: string): Map<string, string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const specifiers = [...text.matchAll(/\bfrom '(\.[^']+)'/g)].map(([, specifier]) => specifier as string);
      return [file, specifiers.map((specifier) => normalize(join(dirname(file), specifier)))];
    }),
  );
}

/** The rooms of a service in the order of its table in docs/architecture.md: each may import those before it. */
function readRooms(service: string): string[] {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, table = ''] =
    new RegExp(`\\| room of ${service} \\| what it does \\|\\n([\\s\\S]*?)\\n\\n`).exec(page) ?? [];
  return table
    .split('\n')
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([\w-]+)\/`/g)].map(([, name]) => name as string));
}

const roomOf = (file: string) => (file.includes(sep) ? file.split(sep)[0] : undefined);

/** The first circle that is found, as the files in it. */
function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const imported of imports.get(file) ?? []) {
      const circle = visit(imported, [...path, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe.each(['auth-server', 'org-api'])('the rooms of %s in docs/architecture.md', (service) => {
  const rooms = readRooms(service);
  const imports = readImports(join(root, 'apps', service, 'src'));

  it('are the folders of the source, and the commands', () => {
    expect(rooms.length).toBeGreaterThan(8);
    const folders = new Set([...imports.keys()].map(roomOf).filter((room) => room !== undefined));
    expect([...folders].sort()).toEqual([...rooms, 'commands'].sort());
  });

  it('import only rooms above them', () => {
    const upwards = [...imports].flatMap(([file, imported]) => {
      const own = rooms.indexOf(roomOf(file) ?? '');
      const below = imported.filter((other) => {
        const room = roomOf(other);
        // config.ts is what all of them are told; nothing else stands beside the rooms for them.
        return (
          own >= 0 && (room === undefined ? other !== 'config.ts' : rooms.indexOf(room) > own || room === 'commands')
        );
      });
      return below.map((other) => `${file} -> ${other}`);
    });
    expect(upwards).toEqual([]);
  });

  it('are taken by room.ts alone', () => {
    const takers = [...imports].filter(
      ([file, imported]) =>
        imported.some((other) => other.endsWith(`${sep}room.ts`)) && !/(^|[/\\])(room|dependencies)\.ts$/.test(file),
    );
    expect(takers.map(([file]) => file)).toEqual([]);
  });
});

describe.each([
  ...['apps/auth-server/src', 'apps/org-api/src', 'packages/shared/src'],
  ...['packages/service-kit/src', 'packages/resource-server/src'],
])('the files of %s', (folder) => {
  it('do not import each other in a circle, types counted', () => {
    expect(findCircle(readImports(join(root, folder)))).toBeUndefined();
  });
});

it('what is not there is noticed: a circle of three files is found', () => {
  const circle = findCircle(
    new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['a.ts']],
    ]),
  );
  expect(circle).toEqual(['a.ts', 'b.ts', 'c.ts', 'a.ts']);
});
