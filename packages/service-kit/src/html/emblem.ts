import { Html } from './html.ts';

const shape = '<path d="M3 21V5h4v3h3V5h4v3h3V5h4v16h-6v-5a3 3 0 0 0-6 0v5z"/>';

/** A gatehouse, in the colour of the text. It says nothing, so a screen reader skips it. */
export const emblem = new Html(
  `<svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round">${shape}</svg>`,
);

/** The same as a file, for the tab of a browser. */
export const emblemFile = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#3b8fc9" stroke-width="2" stroke-linejoin="round">${shape}</svg>`;
