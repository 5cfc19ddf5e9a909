/** JSON that ends its line: a prompt of a shell stands below it. */
export function toJsonLine(body: unknown): string {
  return `${JSON.stringify(body)}\n`;
}
