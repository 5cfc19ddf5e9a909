/** The form in which names of users and groups are compared: without regard to case or to how accents are composed. */
export function foldName(name: string): string {
  // Composes again at the end: a lower-case letter may compose where its capital does not (J̌ and ǰ).
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}
