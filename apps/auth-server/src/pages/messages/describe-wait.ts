import { fill } from '@gatehouse/service-kit/html';
import type { Messages } from './en.ts';

/** Tells the user how long to wait. */
export function describeWait(
  { language }: Messages,
  { waitOneMinute, wait }: { waitOneMinute: string; wait: string },
  seconds = 60,
): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes === 1) return waitOneMinute;
  const style = { style: 'unit', unit: 'minute', unitDisplay: 'long' } as const;
  return fill(wait, { duration: new Intl.NumberFormat(language, style).format(minutes) });
}
