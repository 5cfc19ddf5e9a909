import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { auditEventTypes, auditReasons } from '@gatehouse/service-kit/audit';
import { adviceByCode, adviceByReason } from '@gatehouse/service-kit/refusals';
import { clientMetadataFields } from '@gatehouse/shared';
import { repositoryRoot } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import {
  buildAdviceTable,
  buildChecksTable,
  buildClientFieldsTable,
  buildEnvironmentTable,
  type Check,
  type Variables,
  writeTable,
} from '../tables.mjs';

const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');

const commonConfig = 'packages/service-kit/src/common-config.ts';
const configFiles = {
  'auth-server': [commonConfig, 'apps/auth-server/src/config.ts', 'apps/auth-server/src/branding/read-branding.ts'],
  'org-api': [commonConfig, 'apps/org-api/src/config.ts'],
};

/** The variables that files read. */
function readVariables(paths: readonly string[]): string[] {
  const calls = paths.flatMap((path) => [...read(path).matchAll(/\bread\(\s*'([A-Z_]+)'/g)]);
  return [...new Set(calls.map(([, name = '']) => name))].sort();
}

/** The names in the table's rows for a service: its own, and those of both. */
function documentedVariables(service: string): string[] {
  const rows = read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)` \| ([\w-]+) \|/gm);
  return [...rows].flatMap(([, name = '', of]) => (of === service || of === 'both' ? [name] : [])).sort();
}

/** The variables of a service by their types. */
async function importVariables(service: string): Promise<Variables> {
  const file = join(repositoryRoot, `apps/${service}/src/config.ts`);
  return ((await import(file)) as { environmentVariables: Variables }).environmentVariables;
}

describe('docs/configuration.md', () => {
  it.each(Object.entries(configFiles))('documents exactly the variables that %s read', (service, paths) => {
    const known = readVariables(paths);
    expect(known.length).toBeGreaterThan(2);
    expect(documentedVariables(service)).toEqual(known);
  });

  it('has the table of variables that `npm run docs:tables` makes of their types', async () => {
    const services = {
      'auth-server': await importVariables('auth-server'),
      'org-api': await importVariables('org-api'),
    };
    const page = read('docs/configuration.md');
    expect(page).toBe(writeTable(page, buildEnvironmentTable(services)));
    for (const variable of Object.values(services).flatMap((variables) => Object.values(variables))) {
      expect(variable).toHaveProperty('description');
    }
  });
});

it('docs/endpoints/clients.md has the table of fields that `npm run docs:tables` makes of their schemas', () => {
  const page = read('docs/endpoints/clients.md');
  expect(page).toBe(writeTable(page, buildClientFieldsTable(clientMetadataFields)));
});

it('docs/operations/observability.md has the table of advice that `npm run docs:tables` makes of the code', () => {
  const page = read('docs/operations/observability.md');
  expect(page).toBe(writeTable(page, buildAdviceTable([...adviceByReason, ...adviceByCode])));
});

it('docs/operations/verify.md has the table of checks that `npm run docs:tables` makes of the code', async () => {
  const file = join(repositoryRoot, 'packages/cli/src/verify/checks.ts');
  const { checks } = (await import(file)) as { checks: Record<string, Check> };
  const page = read('docs/operations/verify.md');
  expect(page).toBe(writeTable(page, buildChecksTable(checks)));
});

it('no page installs a package of this repository from a registry: there is none', () => {
  const pages = [
    'README.md',
    'docs/protect-your-api/nodejs.md',
    'examples/README.md',
    'packages/resource-server/README.md',
  ];
  for (const page of pages) expect(read(page)).not.toMatch(/npm (i|install|add) @gatehouse\//);
  const { version } = JSON.parse(read('packages/resource-server/package.json')) as { version: string };
  const packed = `gatehouse-resource-server-${version}.tgz`;
  for (const page of pages.filter((name) => /protect|resource-server/.test(name))) expect(read(page)).toContain(packed);
});

describe('README', () => {
  it('says on its first screen what it is for, for whom, shows it, starts it, and leads on', () => {
    const screen = read('README.md').split('\n').slice(0, 24).join('\n');
    for (const said of ['signs people in', 'It is for', 'docs/pictures/sign-in.png', 'npm ci && npm start']) {
      expect(screen).toContain(said);
    }
    for (const page of ['docs/guides/README.md', 'docs/endpoints.md', 'docs/configuration.md']) {
      expect(screen).toContain(`](${page})`);
    }
  });

  it('shows the two commands', () => {
    expect(read('README.md')).toContain('npm ci && npm start');
    expect(read('README.md')).toContain('npm ci && npm test');
  });

  it('shows the very commands that the banner of npm start prints', async () => {
    const { buildBanner } = (await import(join(repositoryRoot, 'packages/demo/dist/banner.js'))) as {
      buildBanner(
        options: Record<'authUrl' | 'baseUrl' | 'demoUrl' | 'consoleUrl' | 'folder' | 'clientId', string>,
      ): string;
    };
    const banner = buildBanner({
      authUrl: 'http://localhost:9000',
      baseUrl: 'http://localhost:9001',
      demoUrl: 'http://localhost:9002',
      consoleUrl: 'http://localhost:9000/console',
      folder: '.data',
      clientId: 'my-app',
    });
    const commands = banner.split('\n\n').filter((block) => /^(curl|TOKEN)/.test(block));
    expect(commands).toHaveLength(3);
    for (const command of commands) expect(read('README.md')).toContain(command.trim());
  });
});

describe('docs/operations/audit.md', () => {
  it('documents exactly the types of events, each with a service, and every reason', () => {
    const page = read('docs/operations/audit.md');
    const rows = [...page.matchAll(/^\| ((?:`[a-z_.]+`(?:, )?)+) \| (auth-server|org-api|both) \|/gm)];
    const documented = rows.flatMap(([, cell = '']) => cell.match(/[a-z_.]+/g) ?? []);
    expect(documented.sort()).toEqual([...auditEventTypes].sort());
    for (const reason of auditReasons) expect(page).toContain(`\`${reason}\``);
  });
});

describe('docs/contributing/threats.md', () => {
  const page = read('docs/contributing/threats.md');
  /** From its title up to the next one that is named. */
  const part = (from: string, to: string) => page.slice(page.indexOf(`## ${from}\n`), page.indexOf(`## ${to}\n`));
  const checked =
    part('Second steps and passkeys', 'Evidence and operation') + part('Addresses of others', 'Left to others');
  const rows = checked
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.endsWith('| test |'))
    .map((line) => line.slice(2, -2).split(' | '));
  const testFiles = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => `${folder}/${file}`),
  );

  it.each(rows)('names tests that are there, against %s', (_attack, _defence, tests = '') => {
    for (const named of tests.split(/; (?=`)/)) {
      const [, file = '', titles = ''] = /^`([^`]+\.test\.ts)`: (.+)$/.exec(named) ?? [];
      const sources = testFiles.filter((path) => `/${path}`.endsWith(`/${file}`)).map(read);
      for (const title of titles.split('; ')) {
        expect({ file, has: sources.some((source) => source.includes(title)) && title }).toEqual({ file, has: title });
      }
    }
  });

  it('has the rows that are checked', () => expect(rows.length).toBeGreaterThan(140));
});

describe('docs/adr/README.md', () => {
  it('lists every decision by its number and title', () => {
    const files = readdirSync(join(repositoryRoot, 'docs/adr')).filter((file) => file !== 'README.md');
    const rows = [...read('docs/adr/README.md').matchAll(/^\| \[(\d+)\]\(([^)]+)\) \| (.*?) \|/gm)];
    expect(rows.map(([, number, , title]) => `# ${number}. ${title}`)).toEqual(
      files.sort().map((file) => read(`docs/adr/${file}`).split('\n', 1)[0]),
    );
    expect(rows.map(([, , file]) => file)).toEqual(files);
  });
});

const pages = [
  '.',
  'docs',
  'docs/adr',
  'docs/contributing',
  'docs/endpoints',
  'docs/protect-your-api',
  'docs/guides',
  'docs/operations',
  'infra',
  'infra/observability',
  'infra/postman',
  'infra/k8s',
]
  .filter((folder) => existsSync(join(repositoryRoot, folder)))
  .flatMap((folder) => readdirSync(join(repositoryRoot, folder)).map((name) => join(folder, name)))
  .filter((path) => path.endsWith('.md'));

describe('the pages', () => {
  it.each(pages)('%s links to nothing that is not there', (page) => {
    const targets = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(
      ([, target = '']) => target,
    );
    const missing = targets.filter((target) => !existsSync(join(repositoryRoot, dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it.each(pages)('%s links to no heading that is not there', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
    const missing = links.filter(([, target = '', anchor = '']) => {
      const file = target === '' ? page : join(dirname(page), target);
      return !file.endsWith('.md') || !listAnchors(read(file)).has(anchor);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });
});

/** The anchors that GitHub makes of the headings of a page. */
function listAnchors(text: string): Set<string> {
  const outsideCode = text.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const anchors = new Set<string>();
  for (const [, heading = ''] of outsideCode.matchAll(/^#+ (.*)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/\]\([^)]*\)/g, '')
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-');
    const isTaken = anchors.has(anchor);
    anchors.add(isTaken ? `${anchor}-1` : anchor);
  }
  return anchors;
}

describe('docs/README.md', () => {
  it('leads by four doors to every page that is not for those who change Gatehouse', () => {
    const doors = read('docs/README.md');
    for (const door of ['I build an application', 'I administer', 'I operate', 'It broke']) {
      expect(doors).toContain(`\n## ${door}\n`);
    }
    const followed = ['docs', 'docs/guides', 'docs/operations'].flatMap((folder) =>
      readdirSync(join(repositoryRoot, folder)).map((name) => join(folder, name).replace('docs/', '')),
    );
    const unreached = followed.filter(
      (path) => path.endsWith('.md') && !path.endsWith('README.md') && !doors.includes(`](${path}`),
    );
    expect(unreached).toEqual([]);
  });
});

describe('docs/it-broke.md', () => {
  it('names no metric that is not there', () => {
    const known = read('docs/operations/observability.md');
    const named = read('docs/it-broke.md').match(/gatehouse_[a-z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter((metric) => !known.includes(`\`${metric}\``))).toEqual([]);
  });
});
