/** The meaning of each scope that every realm knows, in words for users. */
export const scopeMeanings: Readonly<Record<string, string>> = {
  openid: 'know who you are',
  profile: 'see your profile: names, picture, web pages, gender, date of birth, language and time zone',
  email: 'see your e-mail address',
  phone: 'see your phone number',
  address: 'see your postal address',
  roles: 'see your roles in the organization, and act with them',
  offline_access: 'keep access while you are away, until you take it back',
};
