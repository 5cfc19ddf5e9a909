import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dropSection, guides, isFile, needsPerson, parseSteps, readGuide } from './support/guide.ts';
import { doSteps, startInBackground } from './support/guide-terminal.ts';
import { type Platforms, startPlatforms } from './support/platforms.ts';
import { describeGatehouseOnce, describeSharedGatehouseOnce } from './support/suite.ts';

/** These start services of their own: `proxy.test.ts` and `production-install.test.ts` run them. */
const ofOperators = ['a-proxy-in-front.md', 'first-production-install.md'];

/** Between the commands of these a person has a part at Gatehouse's own pages: guides-about-accounts.test.ts. */
const aboutAccounts = ['people-with-passkeys.md', 'demand-a-second-step.md', 'mail.md'];

/** Its programs have tokens of platforms: below. */
const ofPlatforms = 'workload-identity.md';

/** It needs another Gatehouse, and a browser: guides-about-upstreams.test.ts. */
const ofUpstreams = 'sign-in-by-another-server.md';

/** It needs a Keycloak, and loses its databases: guides-about-moving.test.ts. */
const ofKeycloak = 'move-from-keycloak.md';

/** A part of a guide that needs a UAA: convert-uaa.test.ts. */
const ofUaa = { guide: 'move-from-spring-or-uaa.md', heading: '## Bring the users, groups and clients of a UAA' };

/** It starts an API of its own: below. */
const ofGroups = 'roles-for-your-application.md';

describeSharedGatehouseOnce('guides', (getGatehouse) => {
  // Those in which a person signs in: guides-with-a-person.test.ts.
  const elsewhere = [...ofOperators, ...aboutAccounts, ofPlatforms, ofGroups, ofUpstreams, ofKeycloak];
  const besideStart = guides.filter((guide) => !needsPerson(guide) && !elsewhere.includes(guide));

  test.each([...besideStart, '../it-broke.md'])(
    '%s: its commands run as they stand, and answer as it says',
    async (guide) => {
      const { authUrl, baseUrl } = getGatehouse();
      const whole = readGuide(guide);
      const text = (guide === ofUaa.guide ? dropSection(whole, ofUaa.heading) : whole)
        .replaceAll('http://localhost:9000', authUrl)
        .replaceAll('http://localhost:9001', baseUrl);
      const steps = parseSteps(text);
      expect(steps.length).toBeGreaterThan(1);
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-guide-'));
      await doSteps(steps, { folder, env: process.env }, 50_000);
      rmSync(folder, { recursive: true });
    },
  );

  // guides-with-a-person.test.ts follows the whole of them, where their tools are.
  test.each(['php.md', 'dotnet.md'])('%s: registers its clients by commands that run as they stand', async (guide) => {
    const steps = parseSteps(readGuide(guide).replaceAll('http://localhost:9000', getGatehouse().authUrl));
    const registrations = steps.filter((step) => !isFile(step) && step.command.startsWith('curl '));
    expect(registrations).toHaveLength(2);
    await doSteps(registrations, { folder: tmpdir(), env: process.env }, 50_000);
  });
});

describeGatehouseOnce('docs/guides/workload-identity.md', (getGatehouse) => {
  let platforms: Platforms;
  beforeAll(async () => {
    platforms = await startPlatforms(getGatehouse().authUrl);
  });
  afterAll(() => platforms?.stop());

  test('its commands run as they stand, with issuers that sign as the platforms do', async () => {
    const steps = parseSteps(
      readGuide(ofPlatforms)
        .replaceAll('http://localhost:9000', getGatehouse().authUrl)
        .replaceAll('https://token.actions.githubusercontent.com', platforms.actionsIssuer)
        .replaceAll('/var/run/secrets/gatehouse/token', join(platforms.folder, 'token')),
    );
    expect(steps.length).toBeGreaterThan(10);
    await doSteps(steps, platforms, 50_000);
  });
});

describeSharedGatehouseOnce('docs/guides/roles-for-your-application.md', (getGatehouse) => {
  test('its commands and its API run as they stand', async () => {
    const { authUrl, baseUrl } = getGatehouse();
    const port = await findFreePort();
    const api = `http://localhost:${port}`;
    const steps = parseSteps(
      readGuide(ofGroups)
        .replaceAll('http://localhost:9000', authUrl)
        .replaceAll('http://localhost:9001', baseUrl)
        .replaceAll('http://localhost:3200', api)
        .replace('listen(3200', `listen(${port}`),
    );
    const commands = steps.map((step) => (isFile(step) ? step : startInBackground(step, `${api}/stock`)));
    // Where the packages of the clone are found.
    const folder = mkdtempSync(join(repositoryRoot, 'node_modules/.guide-'));
    await doSteps(commands, { folder, env: process.env }, 50_000);
    rmSync(folder, { recursive: true });
  });
});

describe('docs/guides/README.md', () => {
  test('names every guide', () => {
    const index = readFileSync(join(repositoryRoot, 'docs/guides/README.md'), 'utf8');
    expect(guides.filter((guide) => !index.includes(`](${guide})`))).toEqual([]);
  });
});
