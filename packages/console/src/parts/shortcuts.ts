import { useEffect } from 'preact/hooks';

const key = 'gatehouse shortcuts off';
/** After `g`. */
const places: Readonly<Record<string, string>> = { c: '/clients', u: '/users', e: '/events' };

export const areShortcutsOn = (): boolean => sessionStorage.getItem(key) === null;

/** Single keys get in the way of speech input, so they can be switched off (WCAG 2.1.4). */
export function switchShortcuts(isOn: boolean): void {
  if (isOn) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, 'off');
}

/** Whether a key is meant for what has the focus, for the browser, or for a dialog. */
function isForOthers({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]') !== null) return true;
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/** `/` for the search field, `g c`, `g u`, `g e` for the places, `?` for the list of them. */
export function useShortcuts({ search, help, navigate }: Shortcuts): void {
  useEffect(() => {
    const read = createReader({ search, help, navigate });
    addEventListener('keydown', read);
    return () => removeEventListener('keydown', read);
  }, [search, help, navigate]);
}

function createReader({ search, help, navigate }: Shortcuts) {
  let isAfterG = false;
  return (event: KeyboardEvent) => {
    if (isForOthers(event) || !areShortcutsOn()) return;
    const place = isAfterG ? places[event.key] : undefined;
    isAfterG = event.key === 'g';
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
