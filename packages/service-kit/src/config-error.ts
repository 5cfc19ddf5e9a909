/** A variable has a bad value. The message is one line for the operator and holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
