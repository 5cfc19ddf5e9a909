import type { Role } from '@gatehouse/shared';
import type { RegistrationLimits } from '../clients/dynamic-registration.ts';

/** An initial access token (RFC 7591 1.2): by it clients register without an administrator. Instants are milliseconds. */
export interface InitialToken {
  /** UUIDv7. */
  id: string;
  tokenHash: Buffer;
  /** The clients that may be registered by it, in all. */
  uses: number;
  usesLeft: number;
  limits: RegistrationLimits;
  /** The roles of the administrator who made it: the ceiling of each client that registers by it. */
  ceiling: readonly Role[];
  createdAt: number;
  expiresAt: number;
}
