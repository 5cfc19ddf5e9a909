export { adviceByCode, adviceByReason } from './advice.ts';
export * from './refusal-routes.ts';
export { createRefusalTable, refusalEntity, refusalTable } from './refusal-table.ts';
export * from './refusal-view.ts';
export * from './refusals.ts';
