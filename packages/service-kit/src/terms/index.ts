export * from './fill-terms.ts';
export * from './search-place.ts';
export * from './search-query.ts';
export * from './term-search.ts';
export * from './term-store.ts';
export * from './term-table.ts';
export * from './words.ts';
