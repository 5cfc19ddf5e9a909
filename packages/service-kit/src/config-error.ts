/** A variable has a bad value. The message is for the operator, a line for each fault, and holds no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
