/** A PNG image of 16 by 16 pixels. */
export const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mOQ9eskCTGMahjVMHw1AABM6/QBWKQOqAAAAABJRU5ErkJggg==',
  'base64',
);
