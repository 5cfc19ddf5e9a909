/** An image as it is sent. */
export interface Image {
  mediaType: 'image/png' | 'image/svg+xml' | 'image/x-icon';
  bytes: Buffer;
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The most pixels of a side. A few bytes of PNG can stand for pictures that no memory holds. */
const longestSide = 2048;

/** Says what is wrong with the bytes of a PNG image (PNG 5.2 and 11.2.1); undefined where nothing is. */
export function findPngFault(bytes: Buffer): string | undefined {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(pngSignature)) return 'must be a PNG image';
  const sides = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (bytes.toString('latin1', 12, 16) === 'IHDR' && sides.every((side) => side > 0 && side <= longestSide)) {
    return undefined;
  }
  return `must be a PNG image of at most ${longestSide} by ${longestSide} pixels`;
}

/** Recognizes an image by its first bytes; undefined for anything that is neither PNG nor SVG. */
export function findImage(bytes: Buffer): Image | undefined {
  if (findPngFault(bytes) === undefined) return { mediaType: 'image/png', bytes };
  const start = bytes.toString('utf8', 0, 4096).replace(/^\uFEFF/, '');
  return /^\s*(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/i.test(start)
    ? { mediaType: 'image/svg+xml', bytes }
    : undefined;
}

/** The start of an ICO file: an icon, and not a cursor. The count of its images follows. */
const icoSignature = Buffer.from([0, 0, 1, 0]);

/** The same for the icon of a tab, which may be ICO too. */
export function findIcon(bytes: Buffer): Image | undefined {
  // A directory entry (16 bytes) follows the header (6 bytes).
  const isIco = bytes.length > 22 && bytes.subarray(0, 4).equals(icoSignature) && bytes.readUInt16LE(4) > 0;
  return isIco ? { mediaType: 'image/x-icon', bytes } : findImage(bytes);
}
