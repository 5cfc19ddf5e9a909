import type { Load } from './load.ts';

/** Chooses the next request. */
export interface RequestOrder {
  /** Undefined where nothing is left. */
  next(): string | undefined;
  /** Takes from an answer what later requests need. */
  learn(sent: string, answer: string): void;
  /** Whether later requests depend on the answers. */
  readonly learns: boolean;
}

export function createRequestOrder(requests: readonly string[], order: Load['order']): RequestOrder {
  if (order === 'chain') return createChain(requests);
  let position = 0;
  return {
    learns: false,
    learn: () => {},
    next() {
      const request = requests[position];
      position = order === 'cycle' ? (position + 1) % requests.length : position + 1;
      return request;
    },
  };
}

/** RFC 9700 4.14.2: a refresh token is good for one request, whose answer has the token for the next request. */
function createChain(requests: readonly string[]): RequestOrder {
  const waiting = [...requests];
  let head = 0;
  return {
    learns: true,
    next() {
      const request = waiting[head];
      if (request !== undefined) head += 1;
      return request;
    },
    learn(sent, answer) {
      const [, successor] = /"refresh_token":"([^"]+)"/.exec(answer) ?? [];
      const next = successor === undefined ? sent : sent.replace(/refresh_token=[^&]+/, `refresh_token=${successor}`);
      waiting.push(next);
    },
  };
}
