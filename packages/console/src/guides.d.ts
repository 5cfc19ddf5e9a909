/** Made by guides.mjs of the pages in docs/guides and docs/protect-your-api. */
declare module 'gatehouse-guides' {
  import type { Guide } from './clients/fill-guide.ts';

  export const guides: Readonly<Record<'web' | 'page' | 'machine' | 'robot', readonly Guide[]>>;
  /** How APIs check tokens. */
  export const apiGuides: readonly Pick<Guide, 'title' | 'steps'>[];
}
