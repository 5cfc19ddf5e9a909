import type { ColumnTypes } from '@gatehouse/service-kit';
import { EntitySchema } from 'typeorm';

// Users signed in at browsers, and the clients to tell when they sign out.

export interface BrowserSessionRow {
  token_hash: Buffer;
  session_id: Buffer;
  user_id: string;
  password_changed_at: number;
  auth_time: number;
  expires_at: number;
}

export interface SessionParticipantRow {
  session_id: Buffer;
  client_id: string;
  user_id: string;
  tell_at: number | null;
  expires_at: number;
}

export const browserSessions = (column: ColumnTypes) =>
  new EntitySchema<BrowserSessionRow>({
    name: 'BrowserSession',
    tableName: 'browser_sessions',
    columns: {
      token_hash: { ...column.bytes(32), primary: true },
      session_id: column.bytes(16),
      user_id: column.ascii(64),
      password_changed_at: column.instant(),
      auth_time: column.instant(),
      expires_at: column.instant(),
    },
    indices: [{ name: 'browser_sessions_expiry', columns: ['expires_at'] }],
  });

export const sessionParticipants = (column: ColumnTypes) =>
  new EntitySchema<SessionParticipantRow>({
    name: 'SessionParticipant',
    tableName: 'session_participants',
    columns: {
      session_id: { ...column.bytes(16), primary: true },
      client_id: { ...column.ascii(255), primary: true },
      user_id: column.ascii(64),
      tell_at: { ...column.instant(), nullable: true },
      expires_at: column.instant(),
    },
    indices: [
      { name: 'session_participants_due', columns: ['tell_at'] },
      { name: 'session_participants_expiry', columns: ['expires_at'] },
    ],
  });
