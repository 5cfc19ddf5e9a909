import type { SignatureAlgorithm } from './signature-algorithms.ts';

/** The checked registered claims (RFC 7519 4.1), and all other claims of the token. */
export interface JwtClaims {
  iss: string;
  sub?: string;
  aud?: string | string[];
  /** Seconds. `Infinity` where the rules allow a JWT without `exp` and it has none. */
  exp: number;
  /** Seconds. */
  iat?: number;
  [claim: string]: unknown;
}

/** The rules of one kind of token. `Content` is the type that its claims are read into. */
export interface JwtRules<Content> {
  issuer: string;
  /** Absent where such tokens have no audience. */
  audience?: string;
  /** The `typ`, in lower case and without `application/`. No other kind that the issuer signs has it. */
  type: string;
  /** ES256 if absent. */
  algorithms?: readonly SignatureAlgorithm[];
  /** The required claims in addition to `iss` and `exp`. */
  requiredClaims: readonly string[];
  /** Those of `iss` and `exp` that such a token may lack. The signature says whose it is. */
  optionalClaims?: readonly ('iss' | 'exp')[];
  /** Seconds by which `nbf` may lie in the future; 0 if absent. */
  ahead?: number;
  /** The most characters of such a token; 16 KiB if absent. */
  longest?: number;
  /** Characters of verified tokens that are remembered; 0 for tokens that come once. */
  remembered: number;
  /** Reads the claims; undefined where they are not those of such a token. */
  read(claims: JwtClaims): Content | undefined;
}
