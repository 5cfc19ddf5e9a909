import type { Random } from './random.ts';

/** Lengths around which this server cuts or refuses texts. */
const lengths = [64, 65, 255, 256, 4_096, 4_097, 8_192, 8_193, 16_384, 16_385, 64_000];
/** Readers of base64url and of numbers pass over most of them, one way or the other. */
const fillings = [
  ' ',
  '\n',
  '\t',
  '\0',
  '\x01',
  '"',
  '=',
  '!',
  '.',
  '0',
  '-',
  'A',
  'é',
  '\u00a0',
  '\u200b',
  '０',
  '\ud800',
  '😀',
];

/** A text that is almost this one: longer, shorter, twice, in another case, or with another character in one place. */
export function missNearly(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const filling = random.pick(fillings);
  switch (random.below(8)) {
    case 0:
      return before + filling + after;
    case 1:
      return before + filling + after.slice(1);
    case 2:
      return random.pick([before, after]);
    case 3:
      return text + text;
    case 4:
      return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
    case 5:
      return `${filling}${text}${filling}`;
    case 6:
      return before + filling.repeat(random.pick([2, 40, 300])) + after;
    default:
      return text + filling.repeat(Math.max(0, random.pick(lengths) - text.length));
  }
}

/** Bytes that are almost these: one bit, a piece of it, or some more. */
export function missBytesNearly(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (random.below(5)) {
    case 0:
      return before;
    case 1:
      return after;
    case 2:
      return Buffer.concat([bytes, Buffer.alloc(random.pick([1, 300, 9_000]), random.below(256))]);
    case 3:
      return Buffer.concat([before, Buffer.from([random.below(256)]), after]);
    default:
      return Buffer.concat([before, Buffer.from([(bytes[at] ?? 0) ^ (1 << random.below(8))]), after.subarray(1)]);
  }
}
