export {
  clockTolerance,
  createJwtVerifier,
  type JwtClaims,
  type JwtRules,
  MalformedJwtError,
  parseUnverifiedJwt,
  type UnverifiedClaims,
  type UnverifiedJwt,
  type VerificationKeys,
  type VerifyJwt,
} from '@gatehouse/resource-server/parts';
