/** A pushed authorization request (RFC 9126), as it is stored. */
export interface PushedRequest {
  idHash: Buffer;
  registrationId: string;
  /** Form-encoded; empty once it was used. */
  parameters: string;
  expiresAt: number;
}
