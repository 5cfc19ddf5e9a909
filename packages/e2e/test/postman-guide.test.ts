import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, beforeAll, test } from '@jest/globals';
import { parseSteps } from './support/guide.ts';
import { doSteps } from './support/guide-terminal.ts';
import { describeGatehouseOnce } from './support/suite.ts';

describeGatehouseOnce('infra/postman/README.md', (getGatehouse) => {
  /** A clone, as far as the commands read it. */
  let clone: string;

  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), 'gatehouse-postman-'));
    cpSync(join(repositoryRoot, 'infra/postman'), join(clone, 'infra/postman'), { recursive: true });
    symlinkSync(join(repositoryRoot, 'node_modules'), join(clone, 'node_modules'));
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  test('its command for other hosts and single folders runs as it stands, without a failure', async () => {
    const { authUrl, baseUrl } = getGatehouse();
    const adapt = (file: string) =>
      readFileSync(file, 'utf8')
        .replaceAll('http://localhost:9000', authUrl)
        .replaceAll('http://localhost:9001', baseUrl);
    const environment = join(clone, 'infra/postman/gatehouse.postman_environment.json');
    writeFileSync(environment, adapt(environment));
    // The first command runs the whole collection, as `postman.test.ts` does.
    const [, ofFolders] = parseSteps(adapt(join(clone, 'infra/postman/README.md')));
    if (ofFolders === undefined) throw new Error('the page has no command for single folders');
    // Newman ends with 1 where a test of the collection fails.
    await doSteps([ofFolders], { folder: clone, env: process.env }, 110_000);
  }, 120_000);
});
