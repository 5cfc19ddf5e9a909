export {
  clockTolerance,
  createJwtVerifier,
  type JwtClaims,
  type JwtRules,
  MalformedJwtError,
  type NoteFault,
  parseUnverifiedJwt,
  type UnverifiedClaims,
  type UnverifiedJwt,
  type VerificationKeys,
  type VerifyJwt,
} from '@gatehouse/resource-server/parts';
