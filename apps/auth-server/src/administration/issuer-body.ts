import { managedBy, managedByOrNull, namePattern } from '@gatehouse/shared';
import { type Static, Type } from 'typebox';
import { defaultIssuerAlgorithms, issuerAlgorithms, issuerKinds } from '../issuers/issuer.ts';

/** The most keys of a set. */
const mostKeys = 50;

const name = Type.String({
  pattern: namePattern,
  description: 'Name that administrators see',
  expected: 'be a string of 1–128 characters without control or direction characters',
});
const kind = Type.Enum([...issuerKinds], {
  description: 'spiffe: a trust domain, whose keys are a SPIFFE bundle; oidc where left out',
  expected: `be ${issuerKinds.join(' or ')}`,
});
const keysExpected = `be a JSON Web Key Set of 1–${mostKeys} public keys`;
const jwks = Type.Object(
  { keys: Type.Array(Type.Object({ kty: Type.String() }), { minItems: 1, maxItems: mostKeys }) },
  { description: 'Its public keys. With neither jwks nor jwks_uri: where its metadata say', expected: keysExpected },
);
const uriExpected = 'be an https URL of at most 512 characters';
const jwksUri = Type.String({
  maxLength: 512,
  description: 'The https URL of its public keys, in place of jwks',
  expected: uriExpected,
});
const signatureAlgorithms = Type.Array(Type.Enum([...issuerAlgorithms]), {
  minItems: 1,
  maxItems: issuerAlgorithms.length,
  uniqueItems: true,
  description: `Signatures that its tokens may have; ${defaultIssuerAlgorithms.join(', ')} where left out`,
  expected: `be an array of at least one of ${issuerAlgorithms.join(', ')}, without repeats`,
});

/** The body of `POST /issuers`. */
export const NewIssuer = Type.Object(
  {
    issuer: Type.String({
      maxLength: 512,
      description: 'The `iss` of its tokens, an https URL; of kind spiffe its trust domain, spiffe://…',
      expected: 'be a string of at most 512 characters',
    }),
    name,
    kind: Type.Optional(kind),
    jwks: Type.Optional(jwks),
    jwks_uri: Type.Optional(jwksUri),
    signature_algorithms: Type.Optional(signatureAlgorithms),
    managed_by: Type.Optional(managedBy),
  },
  {
    additionalProperties: false,
    examples: [{ issuer: 'https://token.actions.githubusercontent.com', name: 'GitHub Actions' }],
  },
);
export type NewIssuer = Static<typeof NewIssuer>;

/** The body of `PATCH /issuers/{id}`. */
export const IssuerChanges = Type.Object(
  {
    issuer: Type.Optional(
      Type.Never({ description: 'Never changes', expected: 'be left out: the name that tokens have never changes' }),
    ),
    name: Type.Optional(name),
    kind: Type.Optional(kind),
    jwks: Type.Optional(Type.Union([jwks, Type.Null()], { expected: `${keysExpected}, or null` })),
    jwks_uri: Type.Optional(Type.Union([jwksUri, Type.Null()], { expected: `${uriExpected}, or null` })),
    signature_algorithms: Type.Optional(signatureAlgorithms),
    managed_by: Type.Optional(managedByOrNull),
  },
  { additionalProperties: false },
);
export type IssuerChanges = Static<typeof IssuerChanges>;
