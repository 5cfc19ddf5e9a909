export * from './answer-in-batches.ts';
export * from './health.ts';
export * from './metrics.ts';
export * from './openapi.ts';
export * from './problem-error-handler.ts';
export * from './request-context-of.ts';
export * from './request-id.ts';
export * from './server.ts';
