import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@gatehouse/test-kit';
import { describe, expect, test } from '@jest/globals';
import { describeGatehouseOnce } from './support/suite.ts';

const execute = promisify(execFile);
const folder = join(repositoryRoot, 'docs/guides');
const guides = readdirSync(folder).filter((name) => name !== 'README.md');

/** A command of a guide, and the answer that stands below it; undefined where none does. */
interface Step {
  command: string;
  answer: string | undefined;
}

/** The commands of a guide in their order, sent to these services. An answer is a block `text` directly below its command. */
function readSteps(guide: string, authUrl: string, baseUrl: string): Step[] {
  const text = readFileSync(join(folder, guide), 'utf8')
    .replaceAll('http://localhost:9000', authUrl)
    .replaceAll('http://localhost:9001', baseUrl);
  const blocks = text.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm);
  return [...blocks].map(([, command = '', answer]) => ({ command, answer }));
}

/** In an answer, … stands for anything. */
function patternOf(answer: string): RegExp {
  const parts = answer.trimEnd().split('…');
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`, 's');
}

describeGatehouseOnce('guides', (getGatehouse) => {
  test.each(guides)('%s: its commands run as they stand, and answer as it says', async (guide) => {
    const { authUrl, baseUrl } = getGatehouse();
    const steps = readSteps(guide, authUrl, baseUrl);
    expect(steps.length).toBeGreaterThan(1);
    // One shell for all of them: a later command uses the variables of an earlier one.
    const mark = 'end of step';
    const script = steps.map(({ command }) => `${command}echo; echo '${mark}'`).join('\n');
    const { stdout } = await execute('bash', ['-e', '-o', 'pipefail', '-c', script], { timeout: 50_000 });
    const answers = stdout.split(`${mark}\n`).slice(0, -1);
    expect(answers).toHaveLength(steps.length);
    for (const [index, { answer }] of steps.entries()) {
      if (answer !== undefined) expect(answers[index]?.trim()).toMatch(patternOf(answer));
    }
  });
});

describe('docs/guides/README.md', () => {
  test('names every guide', () => {
    const index = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(guides.filter((guide) => !index.includes(`](${guide})`))).toEqual([]);
  });
});
