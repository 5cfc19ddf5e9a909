import { type Database, idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { LessThanOrEqual } from 'typeorm';
import type { SessionParticipant, SessionParticipantStore } from '../stores.ts';
import { insertUnlessTaken, rowsOf } from './rows.ts';
import type { SessionParticipantRow } from './tables/session-tables.ts';

export function createSessionParticipantStore(database: Database): SessionParticipantStore {
  const rows = () => rowsOf<SessionParticipantRow>(database, 'SessionParticipant');
  const keyOf = ({ sessionId, clientId }: SessionParticipant) => ({
    session_id: idToBytes(sessionId),
    client_id: clientId,
  });
  return {
    async insert(participant) {
      const { userId, tellAt, expiresAt } = participant;
      const row = { ...keyOf(participant), user_id: userId, tell_at: tellAt ?? null, expires_at: expiresAt };
      await insertUnlessTaken(rows(), row);
    },
    async startTelling(sessionId, { now, expiresAt }) {
      await rows().update({ session_id: idToBytes(sessionId) }, { tell_at: now, expires_at: expiresAt });
    },
    async listDue(now, limit) {
      const due = await rows().find({
        where: { tell_at: LessThanOrEqual(now) },
        order: { tell_at: 'ASC' },
        take: limit,
      });
      return due.map(participantFromRow);
    },
    async claim(seen, nextTellAt) {
      const seenRow = { ...keyOf(seen), tell_at: seen.tellAt ?? 0 };
      return (await rows().update(seenRow, { tell_at: nextTellAt })).affected === 1;
    },
    async delete(participant) {
      await rows().delete(keyOf(participant));
    },
  };
}

function participantFromRow(row: SessionParticipantRow): SessionParticipant {
  return {
    sessionId: idFromBytes(row.session_id),
    clientId: row.client_id,
    userId: row.user_id,
    tellAt: row.tell_at ?? undefined,
    expiresAt: row.expires_at,
  };
}
