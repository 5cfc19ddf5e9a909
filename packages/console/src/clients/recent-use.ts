import type { Client } from '../api/auth-server.ts';

/** Milliseconds. */
const recent = 30 * 86_400_000;

/** Whether a client was used in the last 30 days: it is not deleted by one click. */
export function isUsedRecently({ last_used_at: at }: Pick<Client, 'last_used_at'>): boolean {
  return at !== undefined && Date.now() - Date.parse(at) < recent;
}
