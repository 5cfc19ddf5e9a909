export * from './dpop-nonce.ts';
export * from './dpop-proof.ts';
