import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { type ExitCode, exitCodes, UsageError } from './failures.ts';

/**
 * Runs the same command in a process that trusts the certificates of a file too, and gives its code: Node.js reads
 * NODE_EXTRA_CA_CERTS at its start. Undefined where this is that process. Throws a UsageError.
 */
export async function runWithCertificates(file: string, environment: NodeJS.ProcessEnv): Promise<ExitCode | undefined> {
  if (environment.NODE_EXTRA_CA_CERTS === file) return undefined;
  try {
    accessSync(file, constants.R_OK);
  } catch {
    throw new UsageError(`--ca: ${file} cannot be read`);
  }
  const env = { ...environment, NODE_EXTRA_CA_CERTS: file };
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit', env });
  const [code] = await once(child, 'exit');
  return code ?? exitCodes.failed;
}
