import type { BenchCase } from './bench-case.ts';
import { clientCredentials } from './client-credentials.ts';
import { coldClients } from './cold-clients.ts';
import { consoleInBrowser } from './console.ts';
import { distance } from './distance.ts';
import { fair } from './fair.ts';
import { introspection } from './introspection.ts';
import { discovery, jwks } from './metadata.ts';
import { hashingBeside, passwordGrant } from './password.ts';
import { provenClients } from './proven-clients.ts';
import { registerClient } from './register-client.ts';
import { revocation } from './revocation.ts';
import { signIn } from './sign-in.ts';
import { start } from './start.ts';
import { strangers } from './strangers.ts';
import { userDetails, userDetailsFirstSight } from './user-details.ts';
import { codeExchange, refresh } from './user-grants.ts';
import { waitingReaders } from './waiting-readers.ts';

/** The cases in the order in which they run. Those that restart services come last. */
export const cases: readonly BenchCase[] = [
  clientCredentials,
  provenClients,
  userDetails,
  userDetailsFirstSight,
  refresh,
  codeExchange,
  passwordGrant,
  hashingBeside,
  introspection,
  jwks,
  discovery,
  registerClient,
  revocation,
  waitingReaders,
  signIn,
  strangers,
  fair,
  coldClients,
  start,
  consoleInBrowser,
  distance,
];

/** Throws an Error that lists the cases where there is none of that name. */
export function chooseCases(names: readonly string[] | undefined): readonly BenchCase[] {
  const unknown = names?.find((name) => !cases.some((one) => one.name === name));
  if (unknown !== undefined) throw new Error(`no case ${unknown}: ${cases.map(({ name }) => name).join(', ')}`);
  return cases.filter(({ name, isExtra = false }) => names?.includes(name) ?? !isExtra);
}
