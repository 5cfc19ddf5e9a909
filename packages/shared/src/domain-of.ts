/** The part of a name or an address after its last `@`, in lower case; all of it where there is none. */
export function domainOf(name: string): string {
  return name.slice(name.lastIndexOf('@') + 1).toLowerCase();
}
