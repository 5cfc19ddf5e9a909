import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { call, findFreePort, repositoryRoot, showCode, signIn } from '@gatehouse/test-kit';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { acme, keyOfUrsula, signInAtShop } from './support/acme-realm.ts';
import { makeInstallation } from './support/backup-guide.ts';
import { buildAnswerPattern, type Command, isCommand, parseSteps, readGuide, readSection } from './support/guide.ts';
import { buildReaderEnvironment, doSteps, type RunningCommand, startCommand } from './support/guide-terminal.ts';
import { importRealms } from './support/keycloak.ts';
import { administrator } from './support/people.ts';
import { testWithMaven } from './support/registries.ts';
import { waitFor } from './support/wait.ts';

/** Milliseconds: Maven fetches Keycloak, which starts twice. */
const patience = 600_000;
/** Milliseconds that commands may take. */
const atMost = 180_000;
/** The drill's page says what two cores take; other tests run next to this one. */
const slowness = 2;

type Loss = [Command, Command, Command, ...Command[]];

const guide = readGuide('move-from-keycloak.md');
const drills = readFileSync(join(repositoryRoot, 'docs/operations/disaster.md'), 'utf8');
const backups = readFileSync(join(repositoryRoot, 'docs/operations/backup.md'), 'utf8');

describe('docs/guides/move-from-keycloak.md', () => {
  let installation: ReturnType<typeof makeInstallation>;
  let keycloak: Awaited<ReturnType<typeof importRealms>> | undefined;
  let services: RunningCommand | undefined;
  let text: string;
  let urls: { AUTH_URL: string; BASE_URL: string; DEMO_URL: string };
  let env: NodeJS.ProcessEnv;
  let followed = 0;

  beforeEach(async () => {
    installation = makeInstallation();
    const { folder } = installation;
    const port = await findFreePort();
    const urlOf = (free: number) => `http://localhost:${free}`;
    urls = { AUTH_URL: urlOf(port), BASE_URL: urlOf(await findFreePort()), DEMO_URL: urlOf(await findFreePort()) };
    // Data of other ports than 9000 has a folder of its own; the guide's reader has it in .data.
    mkdirSync(join(folder, '.data'), { mode: 0o700 });
    symlinkSync('.', join(folder, '.data', String(port)));
    text = guide.replaceAll('http://localhost:9000', urls.AUTH_URL).replaceAll('http://localhost:9001', urls.BASE_URL);
    keycloak = await importRealms([acme]);
    env = { ...buildReaderEnvironment(keycloak.programs), ...keycloak.env, ...reader(folder) };
    await startServices();
  }, patience);
  afterEach(async () => {
    await services?.stop();
    await keycloak?.remove();
    installation.remove();
  });

  const startServices = async () => {
    const started = startCommand('exec node packages/demo/start.mjs --built', {
      ...{ folder: installation.folder, env: { ...env, ...urls } },
    });
    services = started;
    await expectOutput(started, 'Gatehouse is ready.');
  };

  /** Does steps of the guide, in a shell that goes on where the one before it was. */
  const follow = async (...steps: Command[]) => {
    const { folder } = installation;
    const silently = (command: string) => ({ command: `${command}\n`, answer: undefined, isMeanwhile: false });
    const restore = silently('touch .shell\n. ./.shell');
    const keep = silently('{ export -p; declare -f; } > .shell');
    for (const step of steps) {
      if (step.command === 'gatehouse login\n') await logIn(step);
      else await doSteps([restore, step, keep], { folder, env }, atMost);
      followed += 1;
    }
  };
  const logIn = async ({ command, answer = '' }: Command) => {
    const { folder } = installation;
    const running = startCommand(`. ./.shell\n${command}`, { folder, env });
    const [, url = ''] = await expectOutput(running, /open (http\S+)\n/);
    const [username, password] = administrator;
    const { headers } = await signIn(url, { username, password });
    await call(String(headers.location));
    expect(await running.ended).toBe(0);
    expect(running.output().trim()).toMatch(new RegExp(`^${buildAnswerPattern(answer)}$`, 's'));
  };
  const signInBoth = async (step: number) => {
    const ben = await signInAtShop({ authUrl: urls.AUTH_URL }, 'ben');
    const ursula = await signInAtShop({ authUrl: urls.AUTH_URL }, 'ursula', showCode(keyOfUrsula, step));
    return { ben: ben.sub, ursula: ursula.sub };
  };
  /** Of the export. */
  const readIds = () => {
    const path = join(installation.folder, 'export/acme-users-0.json');
    const { users } = JSON.parse(readFileSync(path, 'utf8')) as { users: { username: string; id: string }[] };
    const idOf = (name: string) => users.find(({ username }) => username === `${name}@example.com`)?.id;
    return { ben: idOf('ben'), ursula: idOf('ursula') };
  };

  testWithMaven(
    'a realm moves, is YAML in Git, drifts and is put back, and outlives the loss of both databases',
    async () => {
      const stepsOf = (heading: string) => parseSteps(readSection(text, heading)).filter(isCommand);
      await follow(...stepsOf('## Sign in as an administrator'), ...stepsOf('## Export the realm'));
      await follow(...stepsOf('## Convert it'), ...stepsOf('## Import it'));
      const ids = readIds();
      expect(await signInBoth(0)).toEqual(ids);
      await follow(...stepsOf('## Let people sign in'), ...stepsOf('## Keep it as YAML in Git'));
      const [breakIt, ...mendIt] = stepsOf('## See a change by hand, and take it back') as [Command, ...Command[]];
      await follow(breakIt);
      await expect(signInAtShop({ authUrl: urls.AUTH_URL }, 'ben')).rejects.toThrow('no sign-in page: 400');
      await follow(...mendIt);
      expect((await signInAtShop({ authUrl: urls.AUTH_URL }, 'ben')).sub).toBe(ids.ben);

      const [backUp, loss, wayBack, ...after] = stepsOf('## Lose both databases, and come back') as Loss;
      const [backUpThere] = parseSteps(readSection(backups, '### Back up'));
      const drill = parseSteps(readSection(drills, '## Both databases are lost'));
      expect([backUp, loss, wayBack]).toEqual([backUpThere, ...drill]);
      await follow(backUp);
      const lostAt = performance.now();
      await services?.stop();
      await follow(loss, wayBack);
      await startServices();
      const seconds = (performance.now() - lostAt) / 1000;
      process.stdout.write(`both services are ready ${seconds.toFixed(1)} s after the loss\n`);
      const [, told] = /^\| \[both databases are lost\].* \| ([\d.]+) s \| [\d.]+ s \|$/m.exec(drills) ?? [];
      expect(seconds).toBeLessThan(Number(told) * slowness);
      expect(await signInBoth(1)).toEqual(ids);
      await follow(...after);
      expect(followed).toBe(parseSteps(text).length);
    },
    patience,
  );
});

/** A reader who has a name at Git, and keeps nothing outside of the folder. */
function reader(folder: string) {
  const [name, email] = ['A Reader', 'reader@example.com'];
  return {
    ...{ HOME: folder, XDG_CONFIG_HOME: join(folder, '.config') },
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
  };
}

/** Waits until a command wrote it. */
async function expectOutput(running: RunningCommand, pattern: string | RegExp): Promise<RegExpExecArray> {
  let hasEnded = false;
  void running.ended.then(() => {
    hasEnded = true;
  });
  const find = async () => new RegExp(pattern).exec(running.output());
  const found = await waitFor(find, (is) => is !== null || hasEnded, atMost);
  if (found === null) throw new Error(`it does not say ${pattern}, but: ${running.output()}`);
  return found;
}
