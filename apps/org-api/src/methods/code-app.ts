/** The app of a user that shows codes (RFC 6238), as it is stored. Instants are milliseconds since the epoch. */
export interface CodeApp {
  userId: string;
  /** The secret of the app, encrypted with CREDENTIALS_KEY; empty where it was lost with that key. */
  sealedSecret: string;
  /** The time step of the last code that was used: it and those before it are used up. */
  lastStep: number;
  createdAt: number;
  lastUsedAt: number | undefined;
}

/**
 * Whether the secret of an app was lost with CREDENTIALS_KEY. Such an app checks no code. It stands for the second step that its user
 * still needs, until another one is set up, so that the password alone does not come to suffice.
 */
export function isLost({ sealedSecret }: Pick<CodeApp, 'sealedSecret'>): boolean {
  return sealedSecret === '';
}
