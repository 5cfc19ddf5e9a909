/** The meaning of each scope that every realm knows, in words for users, in English. */
export const scopeMeanings = {
  openid: 'confirm who you are',
  profile: 'see your profile: names, picture, web pages, gender, date of birth, language and time zone',
  email: 'see your e-mail address',
  phone: 'see your phone number',
  address: 'see your postal address',
  roles: 'see your roles in the organization, and act with them',
  groups: 'see your groups in the organization',
  offline_access: 'keep access while you are away, until you take it back',
};

/** Undefined for a scope that not every realm knows. */
export function findScopeMeaning(name: string): string | undefined {
  const meanings: Readonly<Record<string, string>> = scopeMeanings;
  return meanings[name];
}
