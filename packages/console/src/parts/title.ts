import { useEffect } from 'preact/hooks';
import { useConsole } from '../console.ts';

/** The title of the page: its own first. Undefined: a part of the page gives it. */
export function useTitle(title: string | undefined): void {
  const { settings } = useConsole();
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · ${settings.display_name}`;
  }, [title, settings]);
}
