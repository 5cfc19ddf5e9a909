/** The logo of a client, which an administrator put there. */
export interface ClientLogo {
  /** PNG. */
  bytes: Buffer;
  /** SHA-256 of the bytes: a version. */
  digest: Buffer;
}
