import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, repositoryRoot } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { isCommand, parseSteps } from './support/guide.ts';
import { doSteps, startInBackground } from './support/guide-terminal.ts';
import { describeGatehouseOnce } from './support/suite.ts';

const names = ['nodejs', 'token-exchange', 'any-other-language'];
const page = names
  .map((name) => readFileSync(join(repositoryRoot, `docs/protect-your-api/${name}.md`), 'utf8'))
  .join('\n');

describeGatehouseOnce('docs/protect-your-api', (getGatehouse) => {
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
    const commands = steps.filter(isCommand).map((step) => startInBackground(step, url));
    expect(commands.length).toBeGreaterThan(6);
    const env = { ...process.env, ISSUER: authUrl, AUDIENCE: url, PORT: String(port) };
    await doSteps(commands, { folder: repositoryRoot, env }, 50_000);
  });
});
