/** A change of the e-mail address of a user, as it waits. Instants are milliseconds since the epoch. */
export interface EmailChange {
  userId: string;
  /** UUIDv7. The links of the change name it. */
  id: string;
  /** The old address: after another change of it the change is void. */
  before: string;
  /** Whether the old address was verified: once it is, it is asked too. */
  oldVerified: boolean;
  /** The new address. */
  email: string;
  oldConfirmed: boolean;
  newConfirmed: boolean;
  /** Of the user: after a change of the password the change is void. */
  passwordChangedAt: number;
  /** Before, it does not count: the old address can still refuse it. */
  countsAt: number;
  createdAt: number;
  expiresAt: number;
}

/** Milliseconds for which the old address can refuse a change that it need not confirm. */
export const refusableFor = 72 * 3_600_000;

/** Whether the old address is told of a change, and need not confirm it. */
export function isOldToldOnly({ countsAt, createdAt }: EmailChange): boolean {
  return countsAt > createdAt;
}
