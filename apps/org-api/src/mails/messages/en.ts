/*
 * The texts of mails, in English. `{…}` is a place for a value. The texts of every other language have the same names and the same
 * places. They are plain strings: a bundle escapes what is not ASCII in strings alone.
 */
export const en = {
  /** The tag of the language (BCP 47). */
  language: 'en',
  frame: {
    account: 'Account: {username}',
    organization: 'Organization: {organization}',
    time: 'Time: {time}',
    browser: 'Browser: {browser}',
    network: 'Network: {network}',
    until: 'The link works once, until {time}.',
    ignore: 'If you did not ask for this, ignore this mail. Nothing changes without the link.',
    fine: 'If this was you, there is nothing to do.',
    notYou: 'If this was not you, sign in, change your password and look at your sessions:',
    help: 'Help:',
    automatic: 'This mail was sent automatically. Nobody reads answers to it.',
  },
  links: {
    reset: {
      subject: 'Set a new password',
      text: 'Somebody, most likely you, asked for a new password. Set it here:',
    },
    verify: {
      subject: 'Confirm your e-mail address',
      text: 'Confirm that this address is yours:',
    },
    invitation: {
      subject: 'You are invited',
      text: 'An account was made for you. Choose how you sign in here:',
    },
    email_old: {
      subject: 'Confirm the change of your e-mail address',
      text: 'The e-mail address of your account is to change to {after}. Confirm it, or refuse it, here:',
    },
    email_new: {
      subject: 'Confirm your new e-mail address',
      text: 'This is to become the e-mail address of an account. Confirm it here:',
    },
    email_told: {
      subject: 'Your e-mail address will change',
      text: 'The e-mail address of your account will change to {after}, in 72 hours at the earliest. Refuse it here if this was not you:',
    },
    set_up: {
      subject: 'Open this link to go on',
      text: 'You asked to set up a second step. Go on here, in the browser in which you asked:',
    },
    first_passkey: {
      subject: 'Your account has a second step now: a passkey',
      text: 'A passkey was added to your account: {name}. From now on a password alone does not sign you in. If this was not you, remove it here:',
    },
    first_code_app: {
      subject: 'Your account has a second step now: a code app',
      text: 'A code app was set up for your account. From now on a password alone does not sign you in. If this was not you, remove it here:',
    },
    register: {
      subject: 'Finish your registration',
      text: 'Somebody, most likely you, asked for an account with this address. Finish here:',
    },
    have_account: {
      subject: 'You have an account already',
      text: 'Somebody, most likely you, asked for an account with this address. There is one already. Sign in, or set a new password, here:',
    },
  },
  notices: {
    password_changed: { subject: 'Your password was changed', text: 'Your password was changed.' },
    passkey_added: { subject: 'A passkey was added', text: 'A passkey was added to your account: {name}.' },
    passkey_removed: { subject: 'A passkey was removed', text: 'A passkey was removed from your account: {name}.' },
    code_app_added: { subject: 'A code app was set up', text: 'A code app was set up for your account.' },
    code_app_removed: { subject: 'A code app was removed', text: 'The code app of your account was removed.' },
    recovery_codes_made: {
      subject: 'New recovery codes were made',
      text: 'New recovery codes were made for your account. The ones before do not work any more.',
    },
    recovery_code_used: {
      subject: 'A recovery code was used',
      text: 'A recovery code was used to sign in to your account. You have {left} left.',
    },
    password_known: {
      subject: 'Somebody may know your password',
      text: 'Somebody typed your right password, and then wrong codes many times. Your second step kept them out. Change your password.',
    },
    counter_behind: {
      subject: 'A passkey was refused',
      text: 'A passkey of your account was refused: there may be a copy of it. Remove it, and make a new one.',
    },
    email_changed: {
      subject: 'Your e-mail address was changed',
      text: 'The e-mail address of your account was changed from {before} to {after}.',
    },
    new_sign_in: {
      subject: 'New sign-in to your account',
      text: 'Your account was signed in to from a browser and a network that were not used for it before.',
    },
    methods_reset: {
      subject: 'Your ways to sign in were reset',
      text: 'An administrator removed the passkeys, the code app and the recovery codes of your account. All sessions ended.',
    },
    account_deleted: {
      subject: 'Your account was deleted',
      text: 'Your account and all that belongs to it were deleted.',
    },
    identity_linked: {
      subject: 'An account elsewhere can sign you in now',
      text: 'An account at {upstream} was linked to your account, and signs you in from now on: {identity}. If this was not you, unlink it.',
    },
    identity_removed: {
      subject: 'An account elsewhere was unlinked',
      text: 'An account at {upstream} was unlinked from your account, and does not sign you in any more: {identity}.',
    },
  },
};

/** Every text, by its place. A language that lacks one, or has one more, does not compile. */
export type MailMessages = typeof en;
