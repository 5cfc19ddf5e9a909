import type { TokenStatus } from '../protocol/token-status.ts';

/** `list.index`, separated by spaces. */
export function formatStatuses(statuses: readonly TokenStatus[]): string {
  return statuses.map(({ listId, index }) => `${listId}.${index}`).join(' ');
}

export function parseStatuses(text: string | null): TokenStatus[] {
  return (text ?? '')
    .split(' ')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [listId = 0, index = 0] = entry.split('.').map(Number);
      return { listId, index };
    });
}
