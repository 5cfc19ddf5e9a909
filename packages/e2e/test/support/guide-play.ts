import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, type Gatehouse } from '@gatehouse/test-kit';
import { buildAnswerPattern, isMeanwhile, parseSteps, readGuide } from './guide.ts';
import { buildReaderEnvironment, doSteps, type RunningCommand, startCommand } from './guide-terminal.ts';
import { waitFor } from './wait.ts';

/** Milliseconds. A reader's first command fetches packages, some of them large. */
const patience = 280_000;

/** A guide that is being followed: its application runs, and waits for a person. */
export interface Play extends RunningCommand {
  /** Of the application. */
  origin: string;
  /** The address that it opened in the browser of the system. */
  readOpened(): Promise<string>;
  /** Runs the commands that come after the person's part. */
  goOn(): Promise<void>;
}

/**
 * Follows a guide in an empty folder, with addresses of these services and a free port in place of 3000, until its application
 * runs and says what the guide says that it does.
 */
export async function playGuide(guide: string, services: Gatehouse): Promise<Play> {
  const { port, release } = await reservePort();
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-guide-'));
  const clean = () => rm(place, { recursive: true, force: true });
  try {
    const { before, meanwhile, after } = readPlay(guide, services, port);
    const env = buildReaderEnvironment(makeOpeners(place));
    const empty = join(place, 'empty');
    mkdirSync(empty);
    const folder = await doSteps(before, { folder: empty, env }, patience).finally(release);
    const running = startCommand(meanwhile.command, { folder, env });
    await waitUntilSaid(running, meanwhile.answer);
    return {
      ...running,
      origin: `http://localhost:${port}`,
      readOpened: () => readFile(join(place, 'opened'), 'utf8'),
      goOn: async () => void (await doSteps(after, { folder, env }, patience)),
      stop: () => running.stop().then(clean),
    };
  } catch (error) {
    await clean();
    throw new Error(`${guide}: ${(error as Error).message}`, { cause: error });
  }
}

/** The steps of a guide before its application runs, the command that runs it, and the steps after that. */
function readPlay(guide: string, { authUrl, baseUrl }: Gatehouse, port: number) {
  const text = readGuide(guide)
    .replaceAll('http://localhost:9000', authUrl)
    .replaceAll('http://localhost:9001', baseUrl)
    .replaceAll('3000', String(port));
  const steps = parseSteps(text);
  const middle = steps.findIndex(isMeanwhile);
  const meanwhile = steps.find(isMeanwhile);
  if (meanwhile === undefined) throw new Error('no command goes on while a person is at the browser');
  return { before: steps.slice(0, middle), meanwhile, after: steps.slice(middle + 1) };
}

/** Throws where the command ends, or says something else all the time. */
async function waitUntilSaid(running: RunningCommand, answer = ''): Promise<void> {
  const pattern = new RegExp(buildAnswerPattern(answer), 's');
  let hasEnded = false;
  void running.ended.then(() => {
    hasEnded = true;
  });
  const isSaid = await waitFor(
    async () => pattern.test(running.output()),
    (is) => is || hasEnded,
    patience,
  );
  if (isSaid) return;
  await running.stop();
  throw new Error(`the application does not say "${answer}", but: ${running.output()}`);
}

/** A port that nobody else takes in the time that packages need to be there. */
async function reservePort(): Promise<{ port: number; release(): Promise<void> }> {
  const port = await findFreePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port, release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Programs that open an address in the browser of the system: here they open none. */
function makeOpeners(place: string): string {
  const folder = join(place, 'openers');
  mkdirSync(folder);
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf %s "$1" > '${join(place, 'opened')}'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}
