import { type FieldError, quoteName, unloggedName } from '@gatehouse/shared';

const way = 'register the API that has it (POST /resources), and name that API in resources';

/** Adds to a fault of `scope` which one is unknown and what to do. The log does not repeat the name: it may be a secret. */
export function nameUnknownScope({ field, detail }: FieldError, name: string): FieldError {
  const text = (shown: string) => `${detail}; unknown scope ${shown}: ${way}`;
  return { field, detail: text(quoteName(name)), logged: text(unloggedName) };
}
