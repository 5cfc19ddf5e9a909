export * from './object-version.ts';
