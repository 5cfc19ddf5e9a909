/** The choice of the user, for this tab; the system decides where there is none. */
export type Theme = 'system' | 'light' | 'dark';

const key = 'gatehouse theme';

export function readTheme(): Theme {
  const kept = sessionStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function applyTheme(theme: Theme = readTheme()): void {
  sessionStorage.setItem(key, theme);
  document.documentElement.dataset.theme = theme;
}
