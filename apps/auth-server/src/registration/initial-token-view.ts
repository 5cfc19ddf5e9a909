import { type Static, Type } from 'typebox';
import type { InitialToken } from './initial-token.ts';

const view = {
  id: Type.String({ description: 'UUID' }),
  uses: Type.Integer({ description: 'Clients that may be registered by it, in all' }),
  uses_left: Type.Integer(),
  grant_types: Type.Array(Type.String()),
  scope: Type.Optional(Type.String({ description: 'Absent for all that is open to dynamic clients' })),
  resources: Type.Optional(
    Type.Array(Type.String(), { description: 'Absent for all that are open to dynamic clients' }),
  ),
  ceiling: Type.Array(Type.String(), { description: 'The roles that can be used through its clients at most' }),
  createdAt: Type.String({ description: 'RFC 3339, UTC' }),
  expiresAt: Type.String({ description: 'RFC 3339, UTC' }),
};

/** An initial access token as administrators see it. It does not show the token itself. */
export const InitialTokenView = Type.Object(view, { $id: 'InitialAccessToken' });

/** The answer to its creation. */
export const CreatedInitialToken = Type.Object({
  ...view,
  token: Type.String({ description: 'The initial access token, shown this once' }),
});

export function buildInitialTokenView(initialToken: InitialToken): Static<typeof InitialTokenView> {
  const { id, uses, usesLeft, limits, ceiling, createdAt, expiresAt } = initialToken;
  const { grantTypes, scope, resources } = limits;
  return {
    id,
    uses,
    uses_left: usesLeft,
    grant_types: [...grantTypes],
    ...(scope === undefined ? {} : { scope: scope.join(' ') }),
    ...(resources === undefined ? {} : { resources: [...resources] }),
    ceiling: [...ceiling],
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
