import type { Level } from '@gatehouse/shared';
import type { Authentication } from '../levels/authentication.ts';
import type { TokenStatus } from '../protocol/token-status.ts';
import type { GrantedResource } from '../resources/granted-resource.ts';

/** A device code with its user code (RFC 8628 3.2), as it is stored. Instants are milliseconds. */
export interface DeviceCode {
  /** SHA-256 of the device code. */
  codeHash: Buffer;
  /** HMAC of the user code, which is short enough to be guessed from a plain hash. */
  userCodeHash: Buffer;
  /** UUIDv7 of the grant that the code's tokens will belong to. */
  grantId: string;
  /** The registration of the client it was issued to, and its name. */
  registrationId: string;
  clientId: string;
  /** The generation of the client's tokens at that time. */
  clientGeneration: number;
  scope: string[];
  /** Undefined where org-api alone was asked for. */
  resources: GrantedResource[] | undefined;
  /** Levels that the device asks for, the preferred one first. */
  acrValues: readonly Level[];
  /** Seconds since the sign-in, at most; undefined where the device did not say. */
  maxAge: number | undefined;
  /** Until when a user may decide; undefined once one has decided. */
  openUntil: number | undefined;
  /** The user who allowed it; undefined where nobody did. */
  approval: DeviceApproval | undefined;
  /** Seconds that the device must wait between two polls. */
  interval: number;
  /** When the device asked last. */
  polledAt: number | undefined;
  consumedAt: number | undefined;
  /** The status of the access token that it was exchanged for. */
  status: TokenStatus | undefined;
  /** When the code stops working. */
  endsAt: number;
  /** Where a public client asked, the hash of its network: an IPv4 address, or a /48 of IPv6. */
  publicNetwork: Buffer | undefined;
  /** When the row may be deleted. It outlives the code, so that the device learns why, and so that the grant can be ended. */
  expiresAt: number;
}

/** The user who allowed a device what it asks for. */
export interface DeviceApproval {
  userId: string;
  passwordChangedAt: number;
  authentication: Authentication;
  /** Whether it is a consent to a third-party client too, whose own row is written after this one. */
  givesConsent: boolean;
}

/** A device asks for no claims one by one. */
export const noClaims = { idToken: [], userinfo: [] };

/** The request of a device, as facts tell it. */
export function describeAsked({ scope, resources = [] }: Pick<DeviceCode, 'scope' | 'resources'>) {
  return { scope, resources: resources.map(({ resource }) => resource) };
}

/** Seconds that a device code lives, and that its device waits between two polls. */
export const deviceCodeLifetime = 600;
export const deviceCodeInterval = 5;
/** Milliseconds for which the device is still told that its code has expired. */
export const expiredCodeRetention = 600_000;
/** Milliseconds for which the grant of a code that gave tokens can be ended: as long as an access token can live. */
export const consumedCodeRetention = 86_400_000;
