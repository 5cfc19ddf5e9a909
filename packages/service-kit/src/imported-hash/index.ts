export * from './check-imported-hash.ts';
export * from './decoy.ts';
export * from './hash-work.ts';
export * from './imported-hash.ts';
export * from './parse-imported-hash.ts';
