import { execFileSync } from 'node:child_process';
import { describe, test } from '@jest/globals';
import { describeWithChromium } from './chromium.ts';

/** As `describe`, for tests that install packages as a reader does. Where npm's registry is out of reach, as where Chromium is missing. */
export const describeWithRegistry: typeof describe.skip = runs('npm', [
  ...['view', 'openid-client', 'version', '--prefer-online', '--fetch-retries=0', '--fetch-timeout=10000'],
])
  ? describeWithChromium
  : handleMissing("npm's registry is out of reach", describe.skip);

/** As `test`, where Python has all that makes an environment with pip. */
export const testWithPython: typeof test.skip = runs('python3', ['-c', 'import ensurepip, venv'])
  ? test
  : handleMissing('Python 3 with venv is missing (python3-venv of Debian)', test.skip);

/** As `test`, where a Go is that fetches a newer one by itself. */
export const testWithGo: typeof test.skip = runs('sh', ['-c', 'go env GOTOOLCHAIN | grep -q .'])
  ? test
  : handleMissing('Go 1.21 or later is missing (golang-go of Debian 13)', test.skip);

/** As `test`, where Maven and a compiler of Java are. */
export const testWithMaven: typeof test.skip =
  runs('javac', ['-version']) && runs('mvn', ['--version'])
    ? test
    : handleMissing('Maven or a JDK is missing (maven and default-jdk-headless of Debian)', test.skip);

/**
 * The guides that cannot be followed here: Composer with its registry, or the SDK of .NET 10, is missing. Not every
 * machine of CI reaches these registries, so that is no failure there.
 */
export const findOutOfReach = (): string[] => [
  ...(runs('composer', ['show', '--all', 'jumbojett/openid-connect-php']) ? [] : ['php.md']),
  ...(runs('sh', ['-c', "dotnet --list-sdks | grep -q '^10\\.'"]) ? [] : ['dotnet.md']),
];

function runs(program: string, parameters: readonly string[]): boolean {
  try {
    execFileSync(program, parameters, { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

function handleMissing<Skip>(fault: string, skip: Skip): Skip {
  if (process.env.CI) throw new Error(`${fault}. Guides must not be skipped here.`);
  process.stderr.write(`${fault}. Guides that need it are skipped.\n`);
  return skip;
}
