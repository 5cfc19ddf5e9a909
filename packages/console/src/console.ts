import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Send, Service } from './api/request.ts';
import type { Rights } from './rights.ts';
import type { Session, SignedIn } from './session/session.ts';
import type { Settings } from './session/settings.ts';

/** Every part of the console works with these. */
export interface Console {
  settings: Settings;
  session: Session;
  user: SignedIn;
  rights: Rights;
  send: Send;
  addresses: Record<Service, string>;
}

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (found === undefined) throw new Error('outside of the console');
  return found;
}
