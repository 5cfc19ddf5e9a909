import { useEffect, useLayoutEffect } from 'preact/hooks';
import { keepInput, leavePlace } from './unsaved.ts';

/** Keeps what was typed at a place for the tab, as long as it is there; `undefined`: nothing waits to be saved. No Back comes between. */
export function useKeptInput(place: string, input: object | undefined): void {
  useLayoutEffect(() => keepInput(place, input), [place, input]);
  useEffect(() => () => leavePlace(place), [place]);
}
