/** `npm start` cannot go on. The message is one line: what is wrong, and what to do. */
export class StartError extends Error {}
