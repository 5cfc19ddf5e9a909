import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, repositoryRoot } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { type Command, isCommand, parseSteps } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { describeGatehouseOnce } from './support/suite.ts';

const page = readFileSync(join(repositoryRoot, 'docs/protect-your-api.md'), 'utf8');

/** The API runs in a terminal of its own, so in the background here, until the shell ends. */
function inBackground(step: Command, url: string): Command {
  if (!step.command.startsWith('npm start ')) return step;
  const start = `${step.command.trim()} >/dev/null 2>&1 &\ntrap "kill $!" EXIT\n`;
  return { ...step, command: `${start}until curl -s -o /dev/null ${url}/; do sleep 0.1; done\n` };
}

describeGatehouseOnce('docs/protect-your-api.md', (getGatehouse) => {
  test('its commands for the package run as they stand, and answer as it says', async () => {
    const { authUrl } = getGatehouse();
    const [port, secondPort] = [await findFreePort(), await findFreePort()];
    const [url, secondUrl] = [`http://localhost:${port}`, `http://localhost:${secondPort}`];
    const steps = parseSteps(
      page
        .replaceAll('http://localhost:9000', authUrl)
        .replaceAll('http://localhost:3000', url)
        .replaceAll('http://localhost:3001', secondUrl),
    );
    // The files are of web servers, which this machine need not have.
    const commands = steps.filter(isCommand).map((step) => inBackground(step, url));
    expect(commands.length).toBeGreaterThan(6);
    const env = { ...process.env, ISSUER: authUrl, AUDIENCE: url, PORT: String(port) };
    await doSteps(commands, { folder: repositoryRoot, env }, 50_000);
  });
});
