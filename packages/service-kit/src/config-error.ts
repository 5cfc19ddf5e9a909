/** A variable that cannot be used: the message is one clear line for the operator, and holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
