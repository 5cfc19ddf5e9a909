export * from './used-identifier-table.ts';
export * from './used-identifiers.ts';
