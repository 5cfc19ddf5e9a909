export * from './register-tracing.ts';
export * from './start-tracing.ts';
export * from './trace-database.ts';
export * from './trace-slow-hash.ts';
export * from './tracing.ts';
