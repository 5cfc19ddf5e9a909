export * from './clock-tolerance.ts';
export * from './jwt-verifier.ts';
export * from './unverified-jwt.ts';
