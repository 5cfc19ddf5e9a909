import { type Static, Type } from 'typebox';
import type { Group } from '../groups/group.ts';

/** A group as administrators see it. */
export const GroupView = Type.Object(
  {
    id: Type.String({ description: 'UUID, time-ordered (RFC 9562)' }),
    name: Type.String(),
    description: Type.String(),
    managedBy: Type.Optional(Type.String({ description: 'The project that administers it' })),
    createdAt: Type.String({ description: 'RFC 3339, UTC' }),
    updatedAt: Type.String({ description: 'RFC 3339, UTC' }),
  },
  { $id: 'Group' },
);

export function buildGroupView({
  id,
  name,
  description,
  managedBy,
  createdAt,
  updatedAt,
}: Group): Static<typeof GroupView> {
  return {
    id,
    name,
    description,
    ...(managedBy === undefined ? {} : { managedBy }),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}
