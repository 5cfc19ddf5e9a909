/**
 * The place of a token's status (Token Status List): a bit of a list. A list holds tokens that expire in the same hour, so
 * that the list can be deleted when they have expired.
 */
export interface TokenStatus {
  listId: number;
  index: number;
}

const hour = 3600;

/** The list of tokens that expire at `exp` (seconds). */
export function listIdOf(exp: number): number {
  return Math.floor(exp / hour);
}

/** Milliseconds: the end of the list, an hour after its last token, for late clocks and retries. */
export function listExpiresAt(listId: number): number {
  return (listId + 2) * hour * 1000;
}

export function statusListUri(issuer: string, listId: number): string {
  return `${issuer}/oauth/status-lists/${listId}`;
}

/** The claim that refers a verifier to the status. */
export function buildStatusClaim(issuer: string, { listId, index }: TokenStatus) {
  return { status_list: { idx: index, uri: statusListUri(issuer, listId) } };
}

/** The status that a claim of this server refers to. */
export function parseStatusClaim({ status_list: { idx, uri } }: ReturnType<typeof buildStatusClaim>): TokenStatus {
  return { listId: Number(uri.slice(uri.lastIndexOf('/') + 1)), index: idx };
}

/** How many statuses a grant remembers: those of its latest access tokens. */
const remembered = 100;

/** The same where each use of the refresh token adds one, and several processes of a client use it at a time. */
const rememberedOfStaying = 1000;

/**
 * Finds the oldest statuses that make room for one more: those of tokens that have expired, and those beyond what is
 * remembered, which stand in `dropped` too. The caller must revoke the dropped ones at once.
 */
export function findOutdated(statuses: readonly TokenStatus[], now: number) {
  const firstLive = statuses.findIndex(({ listId }) => listExpiresAt(listId) > now);
  const expired = firstLive === -1 ? statuses.length : firstLive;
  const outdated = statuses.slice(0, Math.max(expired, statuses.length + 1 - rememberedOfStaying));
  return { outdated, dropped: outdated.filter(({ listId }) => listExpiresAt(listId) > now) };
}

/** Adds a status to those of a grant. Statuses in `dropped` are forgotten, so the caller must revoke them at once. */
export function addStatus(statuses: readonly TokenStatus[], status: TokenStatus, now: number) {
  const live = [...statuses.filter(({ listId }) => listExpiresAt(listId) > now), status];
  return { kept: live.slice(-remembered), dropped: live.slice(0, -remembered) };
}
