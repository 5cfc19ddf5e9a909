export * from './generate.ts';
export * from './hostile-json.ts';
export * from './hostile-texts.ts';
export * from './ingredients.ts';
export * from './operations.ts';
export * from './random.ts';
export * from './route-list.ts';
