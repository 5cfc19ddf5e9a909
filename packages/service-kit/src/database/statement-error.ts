/**
 * A statement that failed, whichever the database: `code`, `errno` and `fatal` are the driver's. The driver's own error has the
 * statement with its parameters, so it goes no further.
 */
export class StatementError extends Error {
  override readonly name = 'StatementError';
  readonly code: unknown;
  readonly errno: unknown;
  readonly fatal: unknown;

  constructor(driverError: unknown) {
    super(driverError instanceof Error ? driverError.message : String(driverError));
    const { code, errno, fatal } = (driverError ?? {}) as { code?: unknown; errno?: unknown; fatal?: unknown };
    this.code = code;
    this.errno = errno;
    this.fatal = fatal;
  }
}
