export * from './audit-events.ts';
export * from './authentication-refusals.ts';
export * from './build-info.ts';
export * from './create-metrics.ts';
export * from './metered-database.ts';
export * from './metered-slow-hash.ts';
export * from './metrics.ts';
export * from './purge-metrics.ts';
