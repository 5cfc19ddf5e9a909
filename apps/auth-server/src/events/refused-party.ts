import type { AuditParty } from '@gatehouse/service-kit';

/** The cause of a refusal: somebody claimed to be this existing client or user. For the audit trail, never sent. */
export class RefusedPartyError extends Error {
  override readonly name = 'RefusedPartyError';
  readonly party: AuditParty;

  constructor(party: AuditParty) {
    super('the credentials are wrong, or of another kind');
    this.party = party;
  }
}

/** Who exists of whom a refusal is about; undefined where nobody has the name that was claimed. */
export function findRefusedParty(error: unknown): AuditParty | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof RefusedPartyError ? cause.party : undefined;
}
