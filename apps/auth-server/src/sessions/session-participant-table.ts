import type { ColumnTypes } from '@gatehouse/service-kit/database';
import type { EntitySchemaOptions } from 'typeorm';

export interface SessionParticipantRow {
  session_id: Buffer;
  client_id: string;
  user_id: string;
  tell_at: number | null;
  expires_at: number;
}

export const sessionParticipants = (column: ColumnTypes): EntitySchemaOptions<SessionParticipantRow> => ({
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
