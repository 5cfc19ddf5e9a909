import type { MailMessages } from './en.ts';

export const de: MailMessages = {
  language: 'de',
  frame: {
    account: 'Konto: {username}',
    organization: 'Organisation: {organization}',
    time: 'Zeit: {time}',
    browser: 'Browser: {browser}',
    network: 'Netzwerk: {network}',
    until: 'Der Link funktioniert einmal, bis {time}.',
    ignore: 'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ohne den Link ändert sich nichts.',
    fine: 'Wenn Sie das waren, müssen Sie nichts tun.',
    notYou:
      'Wenn Sie das nicht waren, melden Sie sich an, ändern Sie Ihr Passwort und sehen Sie sich Ihre Sitzungen an:',
    help: 'Hilfe:',
    automatic: 'Diese E-Mail wurde automatisch gesendet. Antworten darauf liest niemand.',
  },
  links: {
    reset: {
      subject: 'Neues Passwort festlegen',
      text: 'Jemand, wahrscheinlich Sie selbst, hat ein neues Passwort angefordert. Legen Sie es hier fest:',
    },
    verify: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      text: 'Bestätigen Sie, dass diese Adresse Ihnen gehört:',
    },
    invitation: {
      subject: 'Ihre Einladung',
      text: 'Für Sie wurde ein Konto angelegt. Wählen Sie hier, wie Sie sich anmelden:',
    },
  },
  notices: {
    password_changed: { subject: 'Ihr Passwort wurde geändert', text: 'Ihr Passwort wurde geändert.' },
    passkey_added: {
      subject: 'Ein Passkey wurde hinzugefügt',
      text: 'Ihrem Konto wurde ein Passkey hinzugefügt: {name}.',
    },
    passkey_removed: {
      subject: 'Ein Passkey wurde entfernt',
      text: 'Aus Ihrem Konto wurde ein Passkey entfernt: {name}.',
    },
    code_app_added: {
      subject: 'Eine Code-App wurde eingerichtet',
      text: 'Für Ihr Konto wurde eine Code-App eingerichtet.',
    },
    code_app_removed: { subject: 'Eine Code-App wurde entfernt', text: 'Die Code-App Ihres Kontos wurde entfernt.' },
    recovery_codes_made: {
      subject: 'Neue Wiederherstellungscodes wurden erstellt',
      text: 'Für Ihr Konto wurden neue Wiederherstellungscodes erstellt. Die bisherigen funktionieren nicht mehr.',
    },
    recovery_code_used: {
      subject: 'Ein Wiederherstellungscode wurde verwendet',
      text: 'Mit einem Wiederherstellungscode hat sich jemand bei Ihrem Konto angemeldet. Sie haben noch {left}.',
    },
    password_known: {
      subject: 'Jemand kennt vielleicht Ihr Passwort',
      text: 'Jemand hat Ihr richtiges Passwort eingegeben und danach viele Male falsche Codes. Ihr zweiter Schritt hat den Zugriff verhindert. Ändern Sie Ihr Passwort.',
    },
    counter_behind: {
      subject: 'Ein Passkey wurde abgelehnt',
      text: 'Ein Passkey Ihres Kontos wurde abgelehnt: Es gibt vielleicht eine Kopie davon. Entfernen Sie ihn und erstellen Sie einen neuen.',
    },
    email_changed: {
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      text: 'Die E-Mail-Adresse Ihres Kontos wurde von {before} in {after} geändert.',
    },
  },
};
