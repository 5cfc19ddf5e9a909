import { UsageError } from '../failures.ts';

/** Other users of the machine see arguments. */
const secrets = ['client_secret', 'password', 'currentPassword', 'client_secret_hash', 'passwordHash'];

/** The members that `KEY=VALUE` arguments name. A value is JSON where it is any (`true`, `null`, `["openid"]`), else text. */
export function readAssignments(args: readonly string[]): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const arg of args) {
    const [, name, value] = /^([A-Za-z_][\w#-]*)=(.*)$/s.exec(arg) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`${arg} is not KEY=VALUE`);
    if (secrets.includes(name)) throw new UsageError(`${name} is a secret, and others see arguments`);
    members[name] = readValue(value);
  }
  return members;
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
