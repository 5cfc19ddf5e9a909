import { useEffect } from 'preact/hooks';
import { useConsole } from '../console.ts';

/** The title of the page: its own first. */
export function useTitle(title: string): void {
  const { settings } = useConsole();
  useEffect(() => {
    document.title = `${title} · ${settings.display_name}`;
  }, [title, settings]);
}
