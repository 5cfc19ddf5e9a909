import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';
import { describe, expect, test } from '@jest/globals';
import { guides, needsPerson, parseSteps, readGuide } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { describeSharedGatehouseOnce } from './support/suite.ts';

/** These start services of their own: `proxy.test.ts` and `production-install.test.ts` run them. */
const ofOperators = ['a-proxy-in-front.md', 'first-production-install.md'];

/** Between the commands of these a person has a part at Gatehouse's own pages: guides-about-accounts.test.ts. */
const aboutAccounts = ['people-with-passkeys.md', 'demand-a-second-step.md', 'mail.md'];

describeSharedGatehouseOnce('guides', (getGatehouse) => {
  // Those in which a person signs in: guides-with-a-person.test.ts.
  const elsewhere = [...ofOperators, ...aboutAccounts];
  const besideStart = guides.filter((guide) => !needsPerson(guide) && !elsewhere.includes(guide));

  test.each([...besideStart, '../it-broke.md'])(
    '%s: its commands run as they stand, and answer as it says',
    async (guide) => {
      const { authUrl, baseUrl } = getGatehouse();
      const text = readGuide(guide)
        .replaceAll('http://localhost:9000', authUrl)
        .replaceAll('http://localhost:9001', baseUrl);
      const steps = parseSteps(text);
      expect(steps.length).toBeGreaterThan(1);
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-guide-'));
      await doSteps(steps, { folder, env: process.env }, 50_000);
      rmSync(folder, { recursive: true });
    },
  );
});

describe('docs/guides/README.md', () => {
  test('names every guide', () => {
    const index = readFileSync(join(repositoryRoot, 'docs/guides/README.md'), 'utf8');
    expect(guides.filter((guide) => !index.includes(`](${guide})`))).toEqual([]);
  });
});
