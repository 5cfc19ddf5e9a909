/** Why a grant was ended: something that works once came back. The cause of the `invalid_grant` that the client gets. */
export class ReplayedTokenError extends Error {
  override readonly name = 'ReplayedTokenError';
  readonly reason: 'code_replayed' | 'refresh_token_replayed';
  readonly grantId: string;
  readonly userId: string;
  /** What tells the replay from a retry of the client. */
  readonly why: string | undefined;

  constructor(
    reason: ReplayedTokenError['reason'],
    { grantId, userId, why }: { grantId: string; userId: string; why?: string },
  ) {
    super(reason);
    this.reason = reason;
    this.grantId = grantId;
    this.userId = userId;
    this.why = why;
  }
}
