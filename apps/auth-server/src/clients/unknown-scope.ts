import { quoteName } from '@gatehouse/shared';

/** Says which scope is unknown and what to do, as the end of a fault. */
export function describeUnknownScope(name: string): string {
  return `unknown scope ${quoteName(name)}: register the API that has it (POST /resources), and name that API in resources`;
}
