import { language } from '../messages/messages.ts';

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A local time; UTC in the title. */
export function Time({ at, exact = false }: { at: string; exact?: boolean }) {
  const instant = new Date(at);
  return (
    <time dateTime={at} title={`${at} UTC`}>
      {exact ? full.format(instant) : formatAgo(instant)}
    </time>
  );
}

/** Within a month by the distance, else by the date. */
export function formatAgo(instant: Date, now = Date.now()): string {
  const distance = instant.getTime() - now;
  if (Math.abs(distance) > 30 * 86_400_000) return instant.toLocaleDateString(undefined, { dateStyle: 'medium' });
  const unit = units.find(([, length]) => Math.abs(distance) >= length);
  return unit === undefined ? relative.format(0, 'minute') : relative.format(Math.trunc(distance / unit[1]), unit[0]);
}
