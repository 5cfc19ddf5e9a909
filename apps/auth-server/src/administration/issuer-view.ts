import { type Static, Type } from 'typebox';
import { type Issuer, issuerAlgorithms, issuerKinds } from '../issuers/issuer.ts';

/** An issuer as administrators see it. */
export const IssuerView = Type.Object(
  {
    id: Type.String({ description: 'UUID' }),
    issuer: Type.String({ description: 'The `iss` of its tokens, or its trust domain' }),
    name: Type.String(),
    kind: Type.Enum([...issuerKinds]),
    // All members of a key are allowed: the answer drops members that its schema does not allow.
    jwks: Type.Optional(
      Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() }, { additionalProperties: true })) }),
    ),
    jwks_uri: Type.Optional(Type.String()),
    signature_algorithms: Type.Array(Type.Enum([...issuerAlgorithms])),
    managed_by: Type.Optional(Type.String({ description: 'The project that administers it' })),
    createdAt: Type.String({ description: 'RFC 3339, UTC' }),
    updatedAt: Type.String({ description: 'RFC 3339, UTC' }),
  },
  { $id: 'Issuer' },
);

export function buildIssuerView(issuer: Issuer): Static<typeof IssuerView> {
  const { jwks, jwksUri, managedBy } = issuer;
  return {
    id: issuer.id,
    issuer: issuer.issuer,
    name: issuer.name,
    kind: issuer.kind,
    ...(jwks === undefined ? {} : { jwks }),
    ...(jwksUri === undefined ? {} : { jwks_uri: jwksUri }),
    signature_algorithms: [...issuer.signatureAlgorithms],
    ...(managedBy === undefined ? {} : { managed_by: managedBy }),
    createdAt: new Date(issuer.createdAt).toISOString(),
    updatedAt: new Date(issuer.updatedAt).toISOString(),
  };
}
