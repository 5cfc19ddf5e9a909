/**
 * Throws where a parameter of a statement is not one plain value. The MySQL driver turns a list or an object into SQL
 * of its own. So only text, numbers, bytes and null may reach it.
 */
export function checkParameters(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (!isPlainValue(parameter)) throw new Error(`a parameter of a statement is of type ${describeType(parameter)}`);
  }
}

function isPlainValue(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'bigint':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    default:
      return value === null || Buffer.isBuffer(value);
  }
}

function describeType(value: unknown): string {
  return typeof value === 'number' ? String(value) : Array.isArray(value) ? 'list' : typeof value;
}
