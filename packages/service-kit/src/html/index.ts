export * from './html.ts';
