export {
  createDpopNonces,
  type DpopNonces,
  type DpopRequest,
  dpopAlgorithms,
  type VerifyDpopProof,
} from '@gatehouse/resource-server/parts';
export * from './dpop-proof.ts';
