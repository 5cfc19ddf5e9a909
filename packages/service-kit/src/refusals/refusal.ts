/** A request that a service refused. Nothing that came with it stands here but names that are registered. */
export interface Refusal {
  /** UUIDv7 of `occurredAt`. */
  id: string;
  /** Milliseconds. */
  occurredAt: number;
  /** Callers may choose ids, so several may have the same. */
  requestId: string;
  /** The id of the operation; of a form without one its method and path. */
  operation: string;
  status: number;
  code: string;
  reason: string;
  clientId: string | undefined;
  /** In the form in which usernames are compared. */
  username: string | undefined;
  /** The caller's network: an IPv4 address, or of an IPv6 address the first 64 bits. */
  network: string;
}
