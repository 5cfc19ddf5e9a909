import type { AuditEntry, AuditTrail } from '@gatehouse/service-kit';
import { OAuthError } from '@gatehouse/shared';
import type { Grant, TokenRequest } from '../grants/grant.ts';
import type { NoteRepetition } from '../grants/refresh-token.ts';
import { ReplayedTokenError } from '../protocol/replayed-token.ts';
import { type DescribeUserById, describeClient } from './parties.ts';

interface Dependencies {
  runGrant: Grant;
  describeUserById: DescribeUserById;
  audit: Pick<AuditTrail, 'note'>;
}

/** Tells the audit trail of refresh tokens that came back so soon, and from so near, that they were honoured again. */
export function createNoteRepetition(deps: Omit<Dependencies, 'runGrant'>): NoteRepetition {
  const { describeUserById, audit } = deps;
  return ({ grantId, userId, by }, { client, origin }) => {
    const known: AuditEntry = {
      type: 'refresh_token.repeated',
      actor: describeClient(client),
      subject: { kind: 'user', id: userId },
      clientId: client.clientId,
      details: { grant: grantId, by },
      origin,
    };
    audit.note(known, async () => ({ ...known, subject: await describeUserById(userId, origin) }));
  };
}

/** The grants, with every code and refresh token that came back, and so ended its grant, told to the audit trail. */
export function auditReplays({ runGrant, describeUserById, audit }: Dependencies): Grant {
  const noteReplay = ({ reason, grantId, userId, why }: ReplayedTokenError, { client, origin }: TokenRequest) => {
    const known: AuditEntry = {
      type: 'grant.ended',
      reason,
      actor: describeClient(client),
      subject: { kind: 'user', id: userId },
      clientId: client.clientId,
      details: { grant: grantId, ...(why === undefined ? {} : { why }) },
      origin,
    };
    audit.note(known, async () => ({ ...known, subject: await describeUserById(userId, origin) }));
  };
  return async (request) => {
    try {
      return await runGrant(request);
    } catch (error) {
      const cause = error instanceof OAuthError ? error.cause : undefined;
      if (cause instanceof ReplayedTokenError) noteReplay(cause, request);
      throw error;
    }
  };
}
