import type { MailMessages } from './en.ts';

export const nl: MailMessages = {
  language: 'nl',
  frame: {
    account: 'Account: {username}',
    organization: 'Organisatie: {organization}',
    time: 'Tijd: {time}',
    browser: 'Browser: {browser}',
    network: 'Netwerk: {network}',
    until: 'De link werkt één keer, tot {time}.',
    ignore: 'Hebt u hier niet om gevraagd, negeer deze e-mail dan. Zonder de link verandert er niets.',
    fine: 'Was u dit zelf, dan hoeft u niets te doen.',
    notYou: 'Was u dit niet, meld u dan aan, wijzig uw wachtwoord en bekijk uw sessies:',
    help: 'Hulp:',
    automatic: 'Deze e-mail is automatisch verstuurd. Niemand leest de antwoorden.',
  },
  links: {
    reset: {
      subject: 'Een nieuw wachtwoord instellen',
      text: 'Iemand, waarschijnlijk u zelf, heeft om een nieuw wachtwoord gevraagd. Stel het hier in:',
    },
    verify: {
      subject: 'Bevestig uw e-mailadres',
      text: 'Bevestig dat dit adres van u is:',
    },
    invitation: {
      subject: 'Uw uitnodiging',
      text: 'Er is een account voor u gemaakt. Kies hier hoe u zich aanmeldt:',
    },
  },
  notices: {
    password_changed: { subject: 'Uw wachtwoord is gewijzigd', text: 'Uw wachtwoord is gewijzigd.' },
    passkey_added: {
      subject: 'Er is een passkey toegevoegd',
      text: 'Er is een passkey aan uw account toegevoegd: {name}.',
    },
    passkey_removed: {
      subject: 'Er is een passkey verwijderd',
      text: 'Er is een passkey van uw account verwijderd: {name}.',
    },
    code_app_added: { subject: 'Er is een code-app ingesteld', text: 'Er is een code-app ingesteld voor uw account.' },
    code_app_removed: { subject: 'Er is een code-app verwijderd', text: 'De code-app van uw account is verwijderd.' },
    recovery_codes_made: {
      subject: 'Er zijn nieuwe herstelcodes gemaakt',
      text: 'Er zijn nieuwe herstelcodes gemaakt voor uw account. De vorige werken niet meer.',
    },
    recovery_code_used: {
      subject: 'Er is een herstelcode gebruikt',
      text: 'Er is met een herstelcode bij uw account aangemeld. U hebt er nog {left}.',
    },
    password_known: {
      subject: 'Misschien kent iemand uw wachtwoord',
      text: 'Iemand heeft uw juiste wachtwoord getypt, en daarna vele keren verkeerde codes. Uw tweede stap heeft de toegang verhinderd. Wijzig uw wachtwoord.',
    },
    counter_behind: {
      subject: 'Er is een passkey geweigerd',
      text: 'Een passkey van uw account is geweigerd: er bestaat misschien een kopie van. Verwijder de passkey en maak een nieuwe.',
    },
    email_changed: {
      subject: 'Uw e-mailadres is gewijzigd',
      text: 'Het e-mailadres van uw account is gewijzigd van {before} in {after}.',
    },
  },
};
