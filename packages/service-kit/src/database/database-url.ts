import { ConfigError } from '../environment.ts';

export type Dialect = 'sqlite' | 'mysql';

export type DatabaseUrl =
  | { dialect: 'sqlite'; path: string }
  | { dialect: 'mysql'; host: string; port: number; user: string; password: string; database: string };

const expected = 'DATABASE_URL must be sqlite:PATH or mysql://user:password@host:port/name';

/** Parses `DATABASE_URL`. The URL holds a password, so no error repeats it. */
export function parseDatabaseUrl(value: string): DatabaseUrl {
  if (value.startsWith('sqlite:')) {
    const path = value.slice('sqlite:'.length);
    if (path === '') throw new ConfigError(expected);
    return { dialect: 'sqlite', path };
  }
  if (!value.startsWith('mysql://') || !URL.canParse(value)) throw new ConfigError(expected);
  const url = new URL(value);
  const database = url.pathname.slice(1);
  if (!/^[\w$-]{1,64}$/.test(database) || url.hostname === '') throw new ConfigError(expected);
  return {
    dialect: 'mysql',
    host: url.hostname,
    port: url.port === '' ? 3306 : Number(url.port),
    user: decodePart(url.username),
    password: decodePart(url.password),
    database,
  };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ConfigError(`${expected}, percent-encoded where needed`);
  }
}
