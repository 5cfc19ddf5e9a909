/** A token was issued to the client; or it proved itself by its secret, or by the one before. */
export type UseKind = 'token' | 'secret' | 'previous_secret';

/** The last use of one kind, in milliseconds. */
export interface ClientUse {
  registrationId: string;
  kind: UseKind;
  usedAt: number;
}

/** The last use of each kind that there was. */
export type LastUses = Readonly<Partial<Record<UseKind, number>>>;
