import { idFromBytes, idToBytes } from '@gatehouse/service-kit';
import { causally, type Database, insertUnlessTaken, optionalNumber } from '@gatehouse/service-kit/database';
import type { SessionParticipant } from './session-participant.ts';
import type { SessionParticipantRow } from './session-participant-table.ts';

export interface SessionParticipantStore {
  /** Does nothing where the client is known to take part. */
  insert(participant: SessionParticipant): Promise<void>;
  /** Those that are told already, by another replica, stay as they are. */
  startTelling(sessionId: string, times: { now: number; expiresAt: number }): Promise<void>;
  /** The client_ids of a session, in their order. */
  listClients(sessionId: string): Promise<string[]>;
  listDue(now: number, limit: number): Promise<SessionParticipant[]>;
  /** True for exactly one of those who saw the same `tellAt`. */
  claim(seen: SessionParticipant, nextTellAt: number): Promise<boolean>;
  delete(participant: SessionParticipant): Promise<void>;
}

export function createSessionParticipantStore(database: Database): SessionParticipantStore {
  return {
    async insert(participant) {
      await insertUnlessTaken(database, 'session_participants', rowFromParticipant(participant));
    },
    async startTelling(sessionId, { now, expiresAt }) {
      const sql = `UPDATE session_participants SET tell_at = ?, expires_at = ?
        WHERE session_id = ? AND tell_at IS NULL`;
      await database.execute(sql, [now, expiresAt, idToBytes(sessionId)], causally);
    },
    async listClients(sessionId) {
      const sql = 'SELECT client_id FROM session_participants WHERE session_id = ? ORDER BY client_id';
      const found = await database.query<Pick<SessionParticipantRow, 'client_id'>>(sql, [idToBytes(sessionId)]);
      return found.map(({ client_id }) => client_id);
    },
    async listDue(now, limit) {
      const sql = 'SELECT * FROM session_participants WHERE tell_at <= ? ORDER BY tell_at LIMIT ?';
      return (await database.query<SessionParticipantRow>(sql, [now, limit])).map(participantFromRow);
    },
    async claim(seen, nextTellAt) {
      const sql = 'UPDATE session_participants SET tell_at = ? WHERE session_id = ? AND client_id = ? AND tell_at = ?';
      const values = [nextTellAt, idToBytes(seen.sessionId), seen.clientId, seen.tellAt ?? 0];
      return (await database.execute(sql, values)) === 1;
    },
    async delete({ sessionId, clientId }) {
      const sql = 'DELETE FROM session_participants WHERE session_id = ? AND client_id = ?';
      await database.execute(sql, [idToBytes(sessionId), clientId]);
    },
  };
}

function participantFromRow(row: SessionParticipantRow): SessionParticipant {
  return {
    sessionId: idFromBytes(row.session_id),
    clientId: row.client_id,
    userId: row.user_id,
    tellAt: optionalNumber(row.tell_at),
    expiresAt: Number(row.expires_at),
  };
}

function rowFromParticipant({
  sessionId,
  clientId,
  userId,
  tellAt,
  expiresAt,
}: SessionParticipant): SessionParticipantRow {
  return {
    session_id: idToBytes(sessionId),
    client_id: clientId,
    user_id: userId,
    tell_at: tellAt ?? null,
    expires_at: expiresAt,
  };
}
