import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  call,
  findFreePort,
  repositoryRoot,
  type ServiceName,
  type ServiceProcess,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { isCommand, parseSteps } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { listKnownVariables } from './support/manifests.ts';

const page = readFileSync(join(repositoryRoot, 'docs/operations/install-without-containers.md'), 'utf8');
const units = join(repositoryRoot, 'infra/systemd');
const names: ServiceName[] = ['auth-server', 'org-api'];
/** Milliseconds. */
const patience = 60_000;

/** The values of one setting of a unit, in their order. */
function readSetting(name: ServiceName, setting: string): string[] {
  const unit = readFileSync(join(units, `gatehouse-${name}.service`), 'utf8');
  return [...unit.matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

const readAssignments = (lines: string[]) => Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
const readOwnVariables = (name: ServiceName) =>
  readAssignments(readSetting(name, 'Environment').flatMap((line) => line.split(' ')));

describe('infra/systemd', () => {
  test.each(names)('the unit of %s names variables that there are, and a program that is built', (name) => {
    const { MALLOC_ARENA_MAX: ofGlibc, ...variables } = readOwnVariables(name);
    expect(ofGlibc).toBe('1');
    const known = listKnownVariables(name);
    expect(Object.keys(variables).filter((variable) => !known.has(variable))).toEqual([]);
    expect(readSetting(name, 'EnvironmentFile')).toEqual([`/etc/gatehouse/${name}.env`]);
    expect(readSetting(name, 'ExecStart')).toEqual([`/usr/bin/env node apps/${name}/dist/main.js`]);
    expect(statSync(join(repositoryRoot, `apps/${name}/dist/main.js`)).isFile()).toBe(true);
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  const testWithSystemd = hasSystemd ? test : test.skip;
  testWithSystemd('systemd finds no fault with the units', () => {
    const files = names.map((name) => join(units, `gatehouse-${name}.service`));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' });
    expect(stderr).not.toContain('gatehouse-');
    expect(status).toBe(0);
  });
});

/** The commands of the page, in a folder that stands for the root of the machine. */
describe('docs/operations/install-without-containers.md', () => {
  let root: string;
  let ports: Record<ServiceName, number>;
  let running: ServiceProcess[];

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'gatehouse-systemd-'));
    for (const folder of ['opt', 'etc/systemd/system', 'usr/local/sbin', 'var/lib/gatehouse', 'bin']) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    symlinkSync(repositoryRoot, join(root, 'opt/gatehouse'));
    ports = { 'auth-server': await findFreePort(), 'org-api': await findFreePort() };
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((service) => service.stop('SIGKILL')));
    rmSync(root, { recursive: true, force: true });
  });

  const adapt = (text: string) =>
    text
      .replaceAll(/(?<![\w.])\/(opt|etc|var\/lib)\/(gatehouse|systemd)/g, `${root}/$1/$2`)
      .replaceAll('/usr/local/sbin', `${root}/usr/local/sbin`)
      .replaceAll('127.0.0.1:9000', `127.0.0.1:${ports['auth-server']}`)
      .replaceAll('127.0.0.1:9001', `127.0.0.1:${ports['org-api']}`);

  /** What only a machine of one's own can do. */
  const leaveOut = (text: string) => text.replaceAll(/^(useradd|git clone|npm|systemctl) .*$/gm, 'true');

  const readVariables = (name: ServiceName) => {
    const lines = readFileSync(join(root, `etc/gatehouse/${name}.env`), 'utf8')
      .trim()
      .split('\n');
    return { ...readOwnVariables(name), ...readAssignments(lines) };
  };

  /** A stand-in for systemd-run: what the command of the page asks it for, without another user. */
  const makeSystemdRun = () => {
    const script = `#!/bin/bash
set -eu
while :; do
  case "$1" in
    --property=EnvironmentFile=*) set -a; . "${root}\${1#--property=EnvironmentFile=}"; set +a ;;
    --property=WorkingDirectory=*) cd "${root}\${1#--property=WorkingDirectory=}" ;;
    --setenv=*) export "\${1#--setenv=}" ;;
    --*) ;;
    *) exec "$@" ;;
  esac
  shift
done
`;
    writeFileSync(join(root, 'bin/systemd-run'), script);
    chmodSync(join(root, 'bin/systemd-run'), 0o755);
  };

  test(
    'its commands install both services, to a sign-in of the administrator',
    async () => {
      makeSystemdRun();
      const [toReady = ''] = page.split('\n## Update', 1);
      const steps = parseSteps(leaveOut(adapt(toReady))).filter(isCommand);
      const start = steps.findIndex(({ command }) => command.includes('gatehouse-command'));
      const env = { ...process.env, PATH: `${root}/bin:${root}/usr/local/sbin:${process.env.PATH}` };
      const folder = await doSteps(steps.slice(0, start + 1), { folder: root, env }, patience);
      expect(statSync(join(root, 'etc/gatehouse')).mode & 0o777).toBe(0o700);
      running = await Promise.all(
        names.map((name) =>
          startServiceProcess({ name, port: ports[name], env: { ...readVariables(name), PORT: String(ports[name]) } }),
        ),
      );
      await doSteps(steps.slice(start + 1), { folder, env }, patience);
      const administrator: [string, string] = ['admin@example.com', readVariables('org-api').BOOTSTRAP_ADMIN_PASSWORD];
      const { status } = await call(`http://127.0.0.1:${ports['auth-server']}/clients`, { basic: administrator });
      expect(status).toBe(200);
    },
    patience,
  );

  test('its settings are variables that there are', () => {
    for (const name of names) {
      const [, block = ''] = new RegExp(`${name}\\.env <<END\\n([\\s\\S]*?)^END$`, 'm').exec(page) ?? [];
      const variables = block
        .trim()
        .split('\n')
        .map((line) => line.split('=', 1)[0] ?? '');
      expect(variables.length).toBeGreaterThan(4);
      expect(variables.filter((variable) => !listKnownVariables(name).has(variable))).toEqual([]);
    }
  });
});
