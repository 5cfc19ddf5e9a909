// npm run release -- 0.2.0: gives every workspace and everything that names an image or a package this version, and closes the
// changelog. docs/contributing/releases.md says what comes before and after.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { checkVersion, closeUnreleased, setNamedVersion, setPackageVersion } from './release.mjs';

/** The paths, as git takes them, of files in which images and packages of this repository have their version. */
const naming = ['infra', 'docs/guides', 'docs/protect-your-api', 'packages/resource-server/README.md'];
const packages = [
  'package.json',
  ...['apps', 'examples', 'packages'].map((folder) => `:(glob)${folder}/*/package.json`),
];

try {
  const { version: from } = JSON.parse(readFileSync('package.json', 'utf8'));
  const to = process.argv[2] ?? '';
  checkVersion(from, to);
  const date = new Date().toISOString().slice(0, 10);
  const changelog = closeUnreleased(readFileSync('CHANGELOG.md', 'utf8'), to, date);
  for (const path of listFiles(packages)) rewrite(path, (text) => setPackageVersion(text, from, to));
  for (const path of listFiles(naming)) rewrite(path, (text) => setNamedVersion(text, from, to));
  writeFileSync('CHANGELOG.md', changelog);
  // The lock file names packages of others by the registry that npm asks: none is asked here.
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit', '--no-fund']);
} catch (error) {
  process.stderr.write(`npm run release: ${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}

/** @param {string[]} paths */
function listFiles(paths) {
  return execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

/**
 * @param {string} path
 * @param {(text: string) => string} change
 */
function rewrite(path, change) {
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed !== text) writeFileSync(path, changed);
}
