/** The form in which the services compare names of users and groups: without regard to case or to how accents are composed. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}
