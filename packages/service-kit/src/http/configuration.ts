import { type Static, Type } from 'typebox';
import type { Database } from '../database/database.ts';
import { describeDatabase } from '../database/describe-database.ts';
import type { VariableInForce } from '../variables-in-force.ts';

/** The configuration of the process that answers, as administrators see it. */
export const ConfigurationView = Type.Object(
  {
    service: Type.String(),
    version: Type.String(),
    startedAt: Type.String({ description: 'RFC 3339, UTC: when the process that answers started' }),
    database: Type.Object({
      kind: Type.Enum(['sqlite', 'mysql', 'mariadb']),
      version: Type.String(),
      schema: Type.Optional(Type.String({ description: 'The newest migration that was done' })),
      time: Type.String({ description: 'RFC 3339, UTC: the clock of the database, while it answered' }),
    }),
    variables: Type.Array(
      Type.Object({
        name: Type.String(),
        from: Type.Enum(['default', 'environment', 'file'], { description: '`default`: it is not set' }),
        value: Type.Optional(
          Type.String({ description: 'Absent of secrets and of paths, and where there is neither value nor default' }),
        ),
        secret: Type.Boolean(),
      }),
    ),
  },
  { $id: 'Configuration', description: 'What the service was started with; no secrets' },
);
type ConfigurationView = Static<typeof ConfigurationView>;

/** A process that serves. */
export interface RunningService {
  service: string;
  version: string;
  /** Milliseconds. */
  startedAt: number;
  variables: readonly VariableInForce[];
  database: Pick<Database, 'dialect' | 'query'>;
}

export async function describeConfiguration({
  service,
  version,
  startedAt,
  variables,
  database,
}: RunningService): Promise<ConfigurationView> {
  const { kind, version: databaseVersion, schema, time } = await describeDatabase(database);
  return {
    ...{ service, version, startedAt: new Date(startedAt).toISOString() },
    database: {
      ...{ kind, version: databaseVersion, ...(schema !== undefined && { schema }) },
      time: new Date(time).toISOString(),
    },
    variables: [...variables],
  };
}
