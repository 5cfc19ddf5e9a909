/** The part of a name or an address after its last `@`, in lower case; all of it where there is none. */
export function domainOf(name: string): string {
  return name.slice(name.lastIndexOf('@') + 1).toLowerCase();
}

/** A name as it was typed, with the domain for names without an `@`. An empty one names nobody, and stays. */
export function completeUsername(typed: string, domain: string | undefined): string {
  return domain === undefined || typed === '' || typed.includes('@') ? typed : `${typed}@${domain}`;
}
