import { StepError } from '../../failures.ts';
import { readJsonSource } from '../read-source.ts';
import { objectOf, textsOf } from '../source-value.ts';

/** The addresses that an administrator gives for the wildcards of each client. */
export type Expansions = (clientId: string, wildcard: string) => readonly string[] | undefined;

/** Reads `{ "CLIENT": { "https://shop.example.com/*": ["https://shop.example.com/callback"] } }`. Throws a StepError. */
export function readExpansions(file: string | undefined): Expansions {
  if (file === undefined) return () => undefined;
  const clients = new Map<string, Map<string, string[]>>();
  for (const [clientId, wildcards] of Object.entries(objectOf(readJsonSource(file)))) {
    const found = new Map<string, string[]>();
    for (const [wildcard, value] of Object.entries(objectOf(wildcards))) {
      const [before = ''] = wildcard.split('*');
      const addresses = textsOf(value);
      if (
        !Array.isArray(value) ||
        !addresses.every((address) => address.startsWith(before) && !address.includes('*'))
      ) {
        const text = `${clientId}: ${wildcard} takes a list of addresses that begin with ${before} and have no *`;
        throw new StepError('files', `${file}: ${text}`);
      }
      found.set(wildcard, addresses);
    }
    clients.set(clientId, found);
  }
  return (clientId, wildcard) => clients.get(clientId)?.get(wildcard);
}
