import { type MutableRef, useEffect, useRef } from 'preact/hooks';

const key = 'gatehouse shortcuts off';
const places: Readonly<Record<string, string>> = { 'g c': '/clients', 'g u': '/users', 'g e': '/events' };

/** Those that are switched off, as the list of them names them, such as `g c`. */
export const listOff = (): string[] => (sessionStorage.getItem(key) ?? '').split(',');

/** Single keys get in the way of speech input, so each can be switched off (WCAG 2.1.4). */
export function switchShortcut(shortcut: string, isOn: boolean): void {
  const others = listOff().filter((each) => each !== shortcut);
  sessionStorage.setItem(key, (isOn ? others : [...others, shortcut]).join());
}

/** Whether a key is meant for what has the focus, for the browser, or for a dialog. */
function isForOthers({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]') !== null) return true;
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/** `/` for the search field, `g c`, `g u`, `g e` for the places, `?` for the list of them. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  useEffect(() => {
    const read = createReader(newest);
    addEventListener('keydown', read);
    return () => removeEventListener('keydown', read);
  }, []);
}

/** One reader stays for all that is drawn: it knows the first of two keys. */
function createReader(newest: MutableRef<Shortcuts>) {
  let isAfterG = false;
  return (event: KeyboardEvent) => {
    if (isForOthers(event)) return;
    const shortcut = isAfterG ? `g ${event.key}` : event.key;
    isAfterG = event.key === 'g';
    if (listOff().includes(shortcut)) return;
    const { search, help, navigate } = newest.current;
    const place = places[shortcut];
    if (place !== undefined) navigate(place);
    if (event.key === '?') help();
    if (event.key !== '/') return;
    event.preventDefault();
    search();
  };
}

interface Shortcuts {
  search: () => void;
  help: () => void;
  navigate: (path: string) => void;
}
