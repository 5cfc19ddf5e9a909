/** The most clients that an answer names. */
const mostNamed = 10;

/** As many clients are read for {@link nameClients}: whether there are more than it names shows by one. */
export const mostRead = mostNamed + 1;

/** Names clients that stand in the way of a deletion, the first ones. */
export function nameClients(clientIds: readonly string[]): string {
  const more = clientIds.length > mostNamed ? ' and more' : '';
  return `${clientIds.slice(0, mostNamed).join(', ')}${more}`;
}
