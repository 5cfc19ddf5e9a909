import type { Clock } from '../clock.ts';
import type { Repeat } from '../repeat.ts';
import type { FetchStatusList } from './fetch-status-list.ts';
import type { PublishedList } from './status-list.ts';

export interface StatusListsOptions {
  fetchStatusList: FetchStatusList;
  verifyStatusList: (text: string) => Promise<PublishedList | undefined>;
  /** Whether a list may be asked for at this address. A list elsewhere cannot be had. */
  isTrusted: (uri: string) => boolean;
  /**
   * The rule while a list cannot be had: `reject` gives `unknown`; `accept` goes on with the list in hand, and a list that
   * was never in hand revokes nothing.
   */
  unavailable: 'reject' | 'accept';
  /** Seconds after the last answer of the server from which on a list cannot be had. */
  maxAge: number;
  clock: Clock;
  repeat: Repeat;
  /** Gives the time between two waits. */
  pause: (milliseconds: number) => Promise<void>;
  /** Learns why a list could not be read. */
  onFailure: (error: unknown, uri: string) => void;
}
