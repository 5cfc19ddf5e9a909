import { readFileSync } from 'node:fs';
import type { Command } from './command.ts';
import { formatTable } from './output.ts';
import { formatUsage } from './read-arguments.ts';

const common = `All commands take:
  --issuer URL         the server; or GATEHOUSE_ISSUER
  --output text|json   json: one document on stdout, all else on stderr
  --quiet              says nothing but results and faults
  --timeout SECONDS    of a request; 10
  --yes                deletes without asking
  --ca FILE            certificates (PEM) to trust, too
  --insecure-http      takes an address by http that is not on this machine

Who administers: GATEHOUSE_TOKEN; GATEHOUSE_CLIENT_ID with GATEHOUSE_CLIENT_SECRET, GATEHOUSE_CLIENT_SECRET_FILE,
GATEHOUSE_CLIENT_KEY_FILE or GATEHOUSE_CLIENT_ASSERTION_FILE; else the sign-in of gatehouse login.

Exit: 0 done, 1 not done, 2 done and something to read, 64 wrong usage.`;

/** How one command is used, or all. */
export function writeHelp(command: Command | undefined, commands: readonly Command[]): string {
  if (command !== undefined) return `gatehouse ${formatUsage(command)}\n\n  ${command.summary}\n\n${common}`;
  const rows = commands.map((each) => [`  gatehouse ${formatUsage(each)}`, each.summary]);
  return `${formatTable(rows)}\n\n${common}`;
}

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return version;
}
