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
    email_old: {
      subject: 'Bevestig de wijziging van uw e-mailadres',
      text: 'Het e-mailadres van uw account wordt gewijzigd in {after}. Bevestig of weiger dit hier:',
    },
    email_new: {
      subject: 'Bevestig uw nieuwe e-mailadres',
      text: 'Dit wordt het e-mailadres van een account. Bevestig het hier:',
    },
    email_told: {
      subject: 'Uw e-mailadres wordt gewijzigd',
      text: 'Het e-mailadres van uw account wordt gewijzigd in {after}, op zijn vroegst over 72 uur. Was u dit niet, weiger het dan hier:',
    },
    set_up: {
      subject: 'Open deze link om verder te gaan',
      text: 'U wilt een tweede stap instellen. Ga hier verder, in dezelfde browser:',
    },
    first_passkey: {
      subject: 'Uw account heeft nu een tweede stap: een passkey',
      text: 'Er is een passkey aan uw account toegevoegd: {name}. Vanaf nu is een wachtwoord alleen niet genoeg om u aan te melden. Was u dit niet, verwijder deze dan hier:',
    },
    first_code_app: {
      subject: 'Uw account heeft nu een tweede stap: een code-app',
      text: 'Er is een code-app voor uw account ingesteld. Vanaf nu is een wachtwoord alleen niet genoeg om u aan te melden. Was u dit niet, verwijder deze dan hier:',
    },
    register: {
      subject: 'Rond uw registratie af',
      text: 'Iemand, waarschijnlijk u, heeft om een account met dit adres gevraagd. Rond het hier af:',
    },
    have_account: {
      subject: 'U hebt al een account',
      text: 'Iemand, waarschijnlijk u, heeft om een account met dit adres gevraagd. Er is er al een. Meld u hier aan of stel een nieuw wachtwoord in:',
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
    new_sign_in: {
      subject: 'Nieuwe aanmelding bij uw account',
      text: 'Er is bij uw account aangemeld vanuit een browser en een netwerk die daarvoor nog niet waren gebruikt.',
    },
    methods_reset: {
      subject: 'Uw aanmeldmethoden zijn opnieuw ingesteld',
      text: 'Een beheerder heeft de passkeys, de code-app en de herstelcodes van uw account verwijderd. Alle sessies zijn beëindigd.',
    },
    account_deleted: {
      subject: 'Uw account is verwijderd',
      text: 'Uw account en alles wat erbij hoort zijn verwijderd.',
    },
    identity_linked: {
      subject: 'Een account bij een andere dienst kan u nu aanmelden',
      text: 'Een account bij {upstream} is aan uw account gekoppeld en meldt u vanaf nu aan: {identity}. Was u dit niet, maak de koppeling dan ongedaan.',
    },
    identity_removed: {
      subject: 'Een account bij een andere dienst is ontkoppeld',
      text: 'Een account bij {upstream} is van uw account ontkoppeld en meldt u niet meer aan: {identity}.',
    },
  },
};
