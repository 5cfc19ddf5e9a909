/**
 * Checks the words of pages and comments: `npm run lint`. CONTRIBUTING.md has the rule. Records (the changelog,
 * decisions), tests, and the texts of the interface keep their words.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const checked = /\.(md|ts|mjs|js|ya?ml|service)$/;
const exempt = /^CHANGELOG\.md$|^docs\/adr\/|\/test\/|^packages\/(bench\/results|api-types\/src)\/|check-voice\.mjs$/;

const words = /\b(heeded|beside|worth|whoever|somebody|anew|lately)\b/i;
/** A sentence that begins with What or Who and is no question. */
const freeClause = /(?:^|[.:!|] )(?:What|Who)\s(?![^|]*\?)/;

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
const faults = files.filter((file) => checked.test(file) && !exempt.test(file)).flatMap(checkFile);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** @param {string} file */
function checkFile(file) {
  const lines = readFileSync(new URL(file, root), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const prose = proseOf(file, line);
    const found = words.exec(prose)?.[0] ?? freeClause.exec(prose)?.[0];
    return found === undefined ? [] : [`${file}:${index + 1}: ${found.trim()}`];
  });
}

/**
 * The prose of a line: all of it on a page but for headings and link targets, in code the comment.
 * @param {string} file
 * @param {string} line
 */
function proseOf(file, line) {
  if (file.endsWith('.md')) return /^#/.test(line) ? '' : line.replace(/^\s*(?:[-*>]|\d+\.)\s+|\]\([^)]*\)/g, '');
  return /^\s*(?:\/\*\*|\*|\/\/|#)\s+(.*?)(?:\s*\*\/)?$/.exec(line)?.[1] ?? '';
}
