const day = 86_400_000;
/** About 27 years. */
const mostDays = 10_000;
const dates = new Map<number, string>();

const numbersTo = (count: number, width: number) =>
  Array.from({ length: count }, (_, number) => String(number).padStart(width, '0'));
const twoDigits = numbersTo(60, 2);
const threeDigits = numbersTo(1000, 3);

/**
 * An instant of whole milliseconds, as `Date.prototype.toISOString` writes it, in a third of the time: a record of a user has two.
 * Throws a RangeError where no date is meant.
 */
export function writeInstant(instant: number): string {
  const days = Math.floor(instant / day);
  const milliseconds = instant - days * day;
  const seconds = Math.floor(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  const time = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`;
  return `${dates.get(days) ?? keepDate(days)}${time}.${threeDigits[milliseconds % 1000]}Z`;
}

/** The date and its `T`. */
function keepDate(days: number): string {
  const [date] = new Date(days * day).toISOString().split('T');
  if (dates.size >= mostDays) dates.clear();
  dates.set(days, `${date}T`);
  return `${date}T`;
}
