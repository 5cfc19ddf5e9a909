/** A text of others for mails and pages: without control characters, ends of lines, characters that turn the direction, and halves of characters. */
export function toPlain(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}
