import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

type Permissions = Record<string, string>;

interface Job {
  'timeout-minutes'?: number;
  permissions?: Permissions;
  'runs-on': string;
  container?: string;
  strategy?: { matrix: Record<string, string[]> };
  if?: string;
  needs?: string;
  steps: { name?: string; uses?: string; run?: string; with?: Record<string, unknown> }[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions?: Permissions;
  jobs: Record<string, Job>;
}

const folder = join(repositoryRoot, '.github/workflows');
const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));

function readWorkflow(file: string): { text: string; workflow: Workflow } {
  const text = readFileSync(join(folder, file), 'utf8');
  return { text, workflow: parse(text) as Workflow };
}

function getJob(file: string, name: string): Job {
  const job = readWorkflow(file).workflow.jobs[name];
  if (job === undefined) throw new Error(`${file} has no job ${name}`);
  return job;
}

/** Every use of an action, as it is written. */
function listUses(): { file: string; action: string; commit: string; version: string }[] {
  return files.flatMap((file) =>
    [...readWorkflow(file).text.matchAll(/^\s*(?:- )?uses: *(.*)$/gm)].map(([, written = '']) => {
      const [, action = '', commit = '', version = ''] =
        /^([\w-]+\/[\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$/.exec(written) ?? [];
      return { file: `${file}: ${written}`, action, commit, version };
    }),
  );
}

test('there are workflows that check, build images, release, audit, take pictures, measure coverage, try mutants, the newest MySQL, the descriptions and versions', () => {
  expect(files.sort()).toEqual([
    'audit.yml',
    'check.yml',
    'coverage.yml',
    'images.yml',
    'mutants.yml',
    'newest-mysql.yml',
    'pictures.yml',
    'release.yml',
    'schemathesis.yml',
    'versions.yml',
  ]);
});

describe('actions', () => {
  test('are pinned by a whole commit, with the version that a reader knows it by', () => {
    const uses = listUses();
    expect(uses.length).toBeGreaterThan(8);
    expect(uses.filter(({ commit }) => commit === '').map(({ file }) => file)).toEqual([]);
  });

  test('are each of one version everywhere', () => {
    const versions = new Map<string, Set<string>>();
    for (const { action, commit, version } of listUses()) {
      versions.set(action, (versions.get(action) ?? new Set()).add(`${commit} ${version}`));
    }
    expect([...versions].filter(([, found]) => found.size > 1)).toEqual([]);
  });
});

describe.each(files)('%s', (file) => {
  const { text, workflow } = readWorkflow(file);
  const jobs = Object.entries(workflow.jobs);

  test('may read the code and nothing else, but for what one job says it has to write', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const more = jobs.filter(([, { permissions }]) => permissions !== undefined);
    const said: Record<string, [string, Permissions][]> = {
      'images.yml': [
        ['publish', { contents: 'read', packages: 'write' }],
        ['manifests', { contents: 'write', packages: 'read' }],
      ],
      'release.yml': [['tag', { contents: 'write', actions: 'write' }]],
    };
    expect(more.map(([name, { permissions }]) => [name, permissions])).toEqual(said[file] ?? []);
  });

  test('gives no stranger its rights or secrets', () => {
    const triggers = Object.keys(workflow.on);
    expect(triggers).not.toContain('pull_request_target');
    expect(triggers).not.toContain('workflow_run');
    // The author of a pull request chooses these texts: in a script they would be commands.
    const scripts = jobs.flatMap(([, { steps }]) => steps.map(({ run = '' }) => run));
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
    const secrets = [...text.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name);
    expect(secrets.filter((name) => name !== 'GITHUB_TOKEN')).toEqual([]);
  });

  test('ends every job in time, on a system of one version, and keeps no credentials', () => {
    for (const [, job] of jobs) {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
      expect(job['runs-on']).toMatch(/-\d+\.\d+$/);
      const checkout = job.steps.find(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkout?.with).toMatchObject({ 'persist-credentials': false });
    }
  });
});

describe('what they do', () => {
  test('check: Node 20 and 24, on SQLite alone, on MySQL 8.4 and on MariaDB', () => {
    const sqlite = getJob('check.yml', 'sqlite');
    const mysql = getJob('check.yml', 'mysql');
    const majors = ({ strategy }: Job) => strategy?.matrix.node?.map((version) => version.split('.')[0]);
    expect([majors(sqlite), majors(mysql)]).toEqual([
      ['20', '24'],
      ['20', '24'],
    ]);
    expect(sqlite.steps.map(({ run }) => run)).toEqual(
      expect.arrayContaining(['npm ci', 'npm test', 'npm run test:e2e']),
    );
    expect(readWorkflow('check.yml').workflow.jobs.sqlite).not.toHaveProperty('env.TEST_MYSQL_URL');
    expect(mysql.strategy?.matrix.database?.map((image) => image.split('.')[0])).toEqual(['mysql:8', 'mariadb:11']);
  });

  test('check: on MySQL the parts are all there are, and each is a part of everything', () => {
    const { strategy, steps } = getJob('check.yml', 'mysql');
    const shards = strategy?.matrix.shard ?? [];
    expect(shards).toEqual(shards.map((_, index) => `${index + 1}/${shards.length}`));
    expect(shards.length).toBeGreaterThan(1);
    expect(steps.at(-1)?.run).toBe('.ci/run --shard=$SHARD');
    expect(readWorkflow('check.yml').workflow.jobs.mysql).toHaveProperty('env.SHARD', `\${{ matrix.shard }}`);
  });

  test('newest MySQL: every week, all parts of all tests, on a Debian', () => {
    const { workflow } = readWorkflow('newest-mysql.yml');
    expect(workflow.on).toMatchObject({ schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/) }] });
    const { strategy, container, steps } = getJob('newest-mysql.yml', 'mysql');
    expect(container).toMatch(/^debian:/);
    expect(strategy?.matrix.shard).toEqual(getJob('check.yml', 'mysql').strategy?.matrix.shard);
    const scripts = steps.slice(-2).map(({ run }) => run);
    expect(scripts).toEqual(['.ci/newest-mysql "$(dirname "$MYSQLD_PATH")" 3306', '.ci/run --shard=$SHARD']);
  });

  test('newest MySQL: its packages come from where the system has its own', () => {
    const script = readFileSync(join(repositoryRoot, '.ci/newest-mysql'), 'utf8');
    expect(script).not.toMatch(/https?:/);
    expect(script).toContain('--download-only');
  });

  test('images: both services and the command line for two processors, published with provenance and a bill of materials', () => {
    const { strategy, steps } = getJob('images.yml', 'publish');
    expect(strategy?.matrix.service).toEqual(['auth-server', 'org-api', 'cli']);
    expect(steps.at(-1)?.with).toMatchObject({
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      provenance: 'mode=max',
      sbom: true,
    });
    expect(getJob('images.yml', 'build').steps.at(-1)?.with).toMatchObject({ push: false });
  });

  test.each(['build', 'publish'])('images, %s: of base images by the digests that their tags have then', (job) => {
    const { steps } = getJob('images.yml', job);
    const { run = '' } = steps.find(({ name }) => name === 'The digests of the base images') ?? {};
    const args = String(steps.at(-1)?.with?.['build-args']);
    for (const name of ['NODE_IMAGE', 'BASE_IMAGE']) {
      expect(run).toContain(name);
      expect(args).toContain(`${name}=\${{ steps.base.outputs.${name} }}`);
    }
  });

  test.each(['auth-server', 'org-api', 'cli'])(
    'images: what resolves digests finds both base images of %s',
    (service) => {
      const found: string[] = [];
      for (const name of ['NODE_IMAGE', 'BASE_IMAGE']) {
        const file = join(repositoryRoot, `infra/docker/${service}.Dockerfile`);
        found.push(execFileSync('sed', ['-n', `s/^ARG ${name}=//p`, file], { encoding: 'utf8' }).trim());
      }
      expect(found).toEqual(['docker.io/library/node:24-bookworm-slim', 'docker.io/library/debian:bookworm-slim']);
    },
  );

  test('images: a release gets manifests that name its images by digest', () => {
    const { if: condition, needs, steps } = getJob('images.yml', 'manifests');
    expect([condition, needs]).toEqual(["startsWith(github.ref, 'refs/tags/v')", 'publish']);
    const scripts = steps.map(({ run = '' }) => run).join('\n');
    expect(scripts).toContain('sh infra/k8s/pin-images.sh infra/k8s/overlays/production "$service=$image@$digest"');
    expect(scripts).toContain('gh release upload');
  });

  test('release: a version that lands on main, whose tag starts the images', () => {
    expect(readWorkflow('release.yml').workflow.on).toEqual({ push: { branches: ['main'], paths: ['package.json'] } });
    expect(getJob('release.yml', 'tag').steps[0]?.with).toMatchObject({ 'fetch-depth': 0 });
    expect(readWorkflow('images.yml').workflow.on).toHaveProperty('workflow_dispatch');
    const { if: condition } = getJob('images.yml', 'publish');
    expect(condition).toContain("github.event_name == 'workflow_dispatch' && startsWith(github.ref, 'refs/tags/v')");
  });

  test('audit: every week, and reports by failing', () => {
    const { workflow } = readWorkflow('audit.yml');
    expect(workflow.on).toMatchObject({ schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/) }] });
    const scripts = getJob('audit.yml', 'dependencies').steps.map(({ run }) => run);
    expect(scripts).toEqual(
      expect.arrayContaining(['npm audit --omit=dev --audit-level=high', 'npm audit signatures']),
    );
  });

  test('versions: the newest Node.js 20, 22 and 24, each with npm 11 and 12 where that supports it', () => {
    const { strategy, steps } = getJob('versions.yml', 'start');
    expect(strategy?.matrix).toEqual({
      node: ['20', '22', '24'],
      npm: ['11', '12'],
      exclude: [{ node: '20', npm: '12' }],
    });
    expect(steps.find(({ uses }) => uses?.startsWith('actions/setup-node@'))?.with).toMatchObject({
      'check-latest': true,
    });
    expect(steps.at(-1)?.run).toBe('node packages/e2e/try-versions.mjs --here');
  });

  test('pictures: where what they show has changed, and every week, to be looked at', () => {
    const { workflow } = readWorkflow('pictures.yml');
    expect(workflow.on).toMatchObject({ schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/) }] });
    const { steps } = getJob('pictures.yml', 'take');
    expect(steps.at(-2)?.run).toBe('npm run docs:pictures');
    expect(steps.at(-1)).toMatchObject({
      uses: expect.stringMatching(/^actions\/upload-artifact@/),
      with: { path: 'docs/pictures/*.png', 'if-no-files-found': 'error' },
    });
  });

  test('mutants: of the files that a pull request changes', () => {
    expect(readWorkflow('mutants.yml').workflow.on).toHaveProperty('pull_request');
    const { steps } = getJob('mutants.yml', 'mutants');
    expect(steps[0]).toMatchObject({ with: { 'fetch-depth': 0 } });
    expect(steps.at(-1)?.run).toBe('npm run mutants -- --since "origin/$GITHUB_BASE_REF"');
  });

  test('coverage: every week, on both databases, with a share that the command demands', async () => {
    const { workflow } = readWorkflow('coverage.yml');
    expect(workflow.on).toMatchObject({ schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/) }] });
    expect(workflow.jobs.coverage).toHaveProperty('env.TEST_MYSQL_URL');
    expect(getJob('coverage.yml', 'coverage').steps.at(-1)?.run).toBe('npm run coverage');
    const { default: config } = await import(join(repositoryRoot, 'jest.coverage.config.js'));
    expect(config.coverageThreshold).toEqual({ global: { lines: 95, branches: 92 } });
  });

  test('schemathesis: every week, with the version that the command asks for', () => {
    const { workflow } = readWorkflow('schemathesis.yml');
    expect(workflow.on).toMatchObject({ schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/) }] });
    const scripts = getJob('schemathesis.yml', 'descriptions').steps.map(({ run = '' }) => run);
    expect(scripts.at(-1)).toMatch(/ npm run schemathesis$/);
    const known = /schemathesisVersion = '([\d.]+)'/.exec(
      readFileSync(join(repositoryRoot, 'packages/fuzz/src/schemathesis/arguments.ts'), 'utf8'),
    )?.[1];
    expect(scripts.at(-2)).toContain(`pip" install schemathesis==${known}`);
    expect(readFileSync(join(repositoryRoot, 'docs/contributing/testing.md'), 'utf8')).toContain(
      `schemathesis==${known}`,
    );
  });
});
