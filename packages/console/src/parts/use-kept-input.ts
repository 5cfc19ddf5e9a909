import { useEffect } from 'preact/hooks';
import { keepInput, leavePlace } from './unsaved.ts';

/** Keeps what was typed at a place for the tab, as long as it is there; `undefined`: nothing waits to be saved. */
export function useKeptInput(place: string, input: object | undefined): void {
  useEffect(() => keepInput(place, input), [place, input]);
  useEffect(() => () => leavePlace(place), [place]);
}
