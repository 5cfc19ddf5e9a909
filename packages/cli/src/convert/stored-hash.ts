import { hashClearText } from '../bundle/hash-clear-text.ts';
import { toUnpadded } from '../bundle/scrypt-form.ts';

export type StoredHash =
  | { hash: string; problem?: undefined }
  | { hash?: undefined; problem: string }
  | Record<string, never>;

/** Forms that are the same here. Those of `$1$` and `$apr1$`, and the digests of LDAP, import takes with `--weak wrap` alone. */
const sameForms = [
  /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/,
  /^\$argon2(?:id|i|d)\$/,
  /^\$pbkdf2-sha(?:1|256|512)\$i=/,
  /^\$scrypt\$ln=/,
  /^\$(?:apr1|1)\$/,
  // Digests of LDAP are Base64. Spring has the same names for digests in hexadecimal.
  /^\{(?:SSHA|SSHA256|SSHA512|SMD5)\}[A-Za-z0-9+/]+={0,2}$/,
  /^\{SHA\}[A-Za-z0-9+/]{27}=$/,
  /^\{MD5\}[A-Za-z0-9+/]{22}==$/,
];

/**
 * Reads a password or a secret as Spring Security and UAA store it. A text of no known form could be any hash: it is taken for clear text
 * only where the administrator says so, else the hash would come to be the password.
 */
export function readStoredHash(stored: string | undefined, { isClear }: { isClear: boolean }): StoredHash {
  if (stored === undefined || stored === '') return {};
  if (sameForms.some((form) => form.test(stored))) return { hash: stored };
  const [, encoder, rest = ''] = encoderPattern.exec(stored) ?? [];
  if (encoder !== undefined) {
    const hash = findEncoded(encoder, rest);
    return hash === undefined ? { problem: encoder } : { hash };
  }
  return isClear && !stored.startsWith('$') ? { hash: hashClearText(stored) } : { problem: 'no prefix' };
}

/** The prefixes of Spring's DelegatingPasswordEncoder. Any other text in braces may be the start of a password, and is not shown. */
const encoderPattern =
  /^\{(bcrypt|ldap|MD4|MD5|noop|SHA-1|SHA-256|sha256|(?:argon2|pbkdf2|scrypt)(?:@[\w.-]+)?)\}(.*)$/s;

function findEncoded(encoder: string, rest: string): string | undefined {
  if (encoder === 'noop') return rest === '' ? undefined : hashClearText(rest);
  const [name] = encoder.split('@');
  if (name === 'pbkdf2') return findSpringPbkdf2(encoder, rest);
  if (name === 'scrypt') return findSpringScrypt(rest);
  const keepsForm = ['bcrypt', 'argon2', 'ldap'].includes(String(name));
  return keepsForm && sameForms.some((form) => form.test(rest)) ? rest : undefined;
}

/** The constants of Pbkdf2PasswordEncoder: its text has salt and key in hexadecimal, and nothing else. */
const springPbkdf2: Record<string, { form: string; iterations: number; saltBytes: number }> = {
  pbkdf2: { form: 'pbkdf2-sha1', iterations: 185_000, saltBytes: 8 },
  'pbkdf2@SpringSecurity_v5_8': { form: 'pbkdf2-sha256', iterations: 310_000, saltBytes: 16 },
};

function findSpringPbkdf2(encoder: string, rest: string): string | undefined {
  const constants = springPbkdf2[encoder];
  if (constants === undefined || !/^[0-9a-f]+$/i.test(rest)) return undefined;
  const { form, iterations, saltBytes } = constants;
  const bytes = Buffer.from(rest, 'hex');
  if (bytes.length !== saltBytes + 32) return undefined;
  return `$${form}$i=${iterations}$${toUnpadded(bytes.subarray(0, saltBytes))}$${toUnpadded(bytes.subarray(saltBytes))}`;
}

/** SCryptPasswordEncoder has its parameters in one hexadecimal number: 16 bits of log N, 8 of r, 8 of p. */
function findSpringScrypt(rest: string): string | undefined {
  const [, packed, salt, key] = /^\$([0-9a-f]{5,8})\$([A-Za-z0-9+/]+)={0,2}\$([A-Za-z0-9+/]+)={0,2}$/.exec(rest) ?? [];
  if (packed === undefined) return undefined;
  const number = Number.parseInt(packed, 16);
  return `$scrypt$ln=${number >>> 16},r=${(number >>> 8) & 0xff},p=${number & 0xff}$${salt}$${key}`;
}
