/** The app of a user that shows codes (RFC 6238), as it is stored. Instants are milliseconds since the epoch. */
export interface CodeApp {
  userId: string;
  /** The secret of the app, encrypted with CREDENTIALS_KEY. */
  sealedSecret: string;
  /** The time step of the last code that was used: it and those before it are used up. */
  lastStep: number;
  createdAt: number;
  lastUsedAt: number | undefined;
}
