import { randomBytes } from 'node:crypto';

/** The request with which the application sent a browser to sign in. */
export interface Pending {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The tokens that it got. */
export interface SignedIn {
  claims: object;
  idToken: string;
  accessToken: string;
}

/** The state of one browser at the application. */
export interface Session {
  pending?: Pending | undefined;
  signedIn?: SignedIn | undefined;
}

/** The most browsers that are remembered. */
const mostSessions = 1_000;

/** The sessions of this process: a cookie holds a random name, and all else stays here. */
export function createSessions() {
  const sessions = new Map<string, Session>();
  return {
    find: (name: string | undefined): Session | undefined => sessions.get(name ?? ''),
    /** Gives the name of a new session. A name that an attacker planted before is not valid. */
    start(session: Session): string {
      const name = randomBytes(32).toString('base64url');
      const [oldest] = sessions.keys();
      if (oldest !== undefined && sessions.size >= mostSessions) sessions.delete(oldest);
      sessions.set(name, session);
      return name;
    },
    end: (name: string | undefined) => void sessions.delete(name ?? ''),
  };
}

export type Sessions = ReturnType<typeof createSessions>;
