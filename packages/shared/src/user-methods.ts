import { type Static, Type } from 'typebox';

const instant = Type.String({ description: 'ISO 8601, UTC' });
const orNull = <Schema extends ReturnType<typeof Type.Object> | typeof instant>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** The methods by which a user signs in, without anything that proves them. */
export const UserMethods = Type.Object({
  password: orNull(Type.Object({ changedAt: instant })),
  passkeys: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      createdAt: instant,
      lastUsedAt: orNull(instant),
      backupEligible: Type.Boolean({ description: 'Whether it may be on several devices' }),
      backedUp: Type.Boolean(),
      userVerified: Type.Boolean({ description: 'Whether it signs in alone' }),
      transports: Type.Array(Type.String()),
      aaguid: Type.String({ description: 'The model of the authenticator' }),
    }),
  ),
  codeApp: orNull(Type.Object({ createdAt: instant, lastUsedAt: orNull(instant) })),
  recoveryCodes: orNull(Type.Object({ left: Type.Integer(), createdAt: instant })),
  secondStep: Type.Boolean({ description: 'Whether a second step follows the password' }),
});
export interface UserMethods {
  password: { changedAt: string } | null;
  passkeys: ListedPasskey[];
  codeApp: MethodTimes | null;
  recoveryCodes: { left: number; createdAt: string } | null;
  secondStep: boolean;
}
export type ListedPasskey = Static<typeof UserMethods>['passkeys'][number] & MethodTimes;

/** RFC 3339, UTC. */
export interface MethodTimes {
  createdAt: string;
  lastUsedAt: string | null;
}
