import { useBrowserLocation } from 'wouter-preact/use-browser-location';
import { messages } from '../messages/messages.ts';

/** Input that is kept for the tab, by the place that it was typed at; without secrets. */
const prefix = 'gatehouse input ';
let current: string | undefined;
/** The address of its form. */
let formAt: string | undefined;
let isGone = false;

export function readInput<Input>(place: string): Input | undefined {
  const kept = sessionStorage.getItem(prefix + place);
  return kept === null ? undefined : (JSON.parse(kept) as Input);
}

/** `undefined`: nothing waits to be saved any more. */
export function keepInput(place: string, input: object | undefined): void {
  if (isGone) return;
  if (input === undefined) sessionStorage.removeItem(prefix + place);
  else sessionStorage.setItem(prefix + place, JSON.stringify(input));
  if (input !== undefined) {
    current = place;
    formAt = location.href;
  } else if (current === place) current = undefined;
}

/** The form of the place is gone from the screen; its input stays. */
export function leavePlace(place: string): void {
  if (current === place) current = undefined;
}

/** The page goes for good, and keeps nothing any more. */
export function forgetPlace(): void {
  isGone = true;
  current = undefined;
}

addEventListener('beforeunload', (event) => {
  if (current !== undefined) event.preventDefault();
});

/** By Back or Forward the form is left already: its address comes back where that was not meant, before the page follows. */
addEventListener(
  'popstate',
  (event) => {
    if (current === undefined || formAt === undefined || new URL(formAt).pathname === location.pathname) return;
    if (mayLeave()) return keepInput(current, undefined);
    event.stopImmediatePropagation();
    history.pushState(null, '', formAt);
  },
  { capture: true },
);

/** Asks before kept input is left. */
export function mayLeave(): boolean {
  return current === undefined || confirm(messages.form.leave);
}

/** Leaving with kept input asks first. */
export function useGuardedLocation(): ReturnType<typeof useBrowserLocation> {
  const [location, navigate] = useBrowserLocation();
  const guarded: typeof navigate = (to, options) => {
    if (!mayLeave()) return;
    if (current !== undefined) keepInput(current, undefined);
    navigate(to, options);
  };
  return [location, guarded];
}
