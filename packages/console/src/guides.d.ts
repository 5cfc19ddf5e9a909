/** Made by guides.mjs of the pages in docs/guides. */
declare module 'gatehouse-guides' {
  export const guides: Readonly<Record<'web' | 'page' | 'machine', readonly import('./clients/fill-guide.ts').Guide[]>>;
}
