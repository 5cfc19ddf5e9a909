export * from './accent-colour.ts';
export * from './accepts-page.ts';
export * from './base-style.ts';
export * from './choose-by-language.ts';
export * from './document.ts';
export * from './emblem.ts';
export * from './fill.ts';
export * from './html.ts';
