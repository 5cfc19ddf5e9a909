export { createDpopNonces, type DpopNonces } from './dpop/dpop-nonce.ts';
export type { UsedIdentifiers } from './dpop/used-identifiers.ts';
export type { Fetch, FetchAnswer } from './fetch.ts';
export { type SignatureAlgorithm, signatureAlgorithms } from './jwt/signature-algorithms.ts';
export {
  metadataHeaders,
  type PublishedMetadata,
  type ResourceDescription,
  type ResourceMetadata,
} from './metadata/protected-resource.ts';
export type { AccessToken, Actor, Authentication } from './request/access-token.ts';
export type { PresentedRequest, RequestNeeds, RouteNeeds } from './request/check-request.ts';
export type { RefusalLog } from './request/log-refusal.ts';
export { TokenError, type TokenErrorCode, type TokenRefusal } from './request/token-error.ts';
export type { StatusReference } from './status-lists/token-status.ts';
export { type Verifier, type VerifierLog, type VerifierOptions, type VerifyNeeds, verifier } from './verifier.ts';
