import type { Authentication } from '../levels/authentication.ts';
import type { RequestedClaims } from '../protocol/claims-parameter.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { GrantedResource } from '../resources/granted-resource.ts';

/**
 * One row for each grant, whatever number of times its token is rotated: the token that stands for it now, and the
 * one before. Instants are milliseconds.
 */
export interface RefreshToken {
  /** UUIDv7; part of the token, so that an older one of the same grant is known for what it is. */
  id: string;
  secretHash: Buffer;
  previousSecretHash: Buffer | undefined;
  /** When the token before was used; of one that always stayed the same, when it was used itself. */
  rotatedAt: number | undefined;
  /** From which network the token before was used, as `hashNetwork` gives it; undefined where nobody kept it. */
  rotatedFrom: Buffer | undefined;
  grantId: string;
  registrationId: string;
  /** The generation of the client's tokens at the first issue. */
  clientGeneration: number;
  userId: string;
  passwordChangedAt: number;
  scope: string[];
  /** Undefined where org-api alone was granted. */
  resources: GrantedResource[] | undefined;
  authentication: Authentication;
  /** The session it ends with; undefined for offline access. */
  sessionId: string | undefined;
  /** Of offline access, the session in which it began; undefined where the release before wrote the row. */
  beganIn: string | undefined;
  /** RFC 9449 5: the key a public client's token is bound to. */
  dpopJkt: string | undefined;
  /** Whether its access tokens carry roles with scope roles alone, whatever the client. */
  rolesByScope: boolean;
  /** Asked for one by one. */
  claims: RequestedClaims;
  /** Of the grant's access tokens that may still be in force. */
  statuses: TokenStatus[];
  /** The end that no use puts off; undefined where the release before wrote the row. */
  endsAt: number | undefined;
  /** The end unless it is used before. */
  expiresAt: number;
}

export type RefreshTokenGrant = Pick<
  RefreshToken,
  | 'grantId'
  | 'registrationId'
  | 'clientGeneration'
  | 'userId'
  | 'passwordChangedAt'
  | 'scope'
  | 'resources'
  | 'authentication'
  | 'sessionId'
  | 'beganIn'
  | 'dpopJkt'
  | 'rolesByScope'
  | 'claims'
>;
