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
    email_old: {
      subject: 'Bestätigen Sie die Änderung Ihrer E-Mail-Adresse',
      text: 'Die E-Mail-Adresse Ihres Kontos soll zu {after} geändert werden. Bestätigen Sie dies hier, oder lehnen Sie es ab:',
    },
    email_new: {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      text: 'Dies soll die E-Mail-Adresse eines Kontos werden. Bestätigen Sie es hier:',
    },
    email_told: {
      subject: 'Ihre E-Mail-Adresse wird geändert',
      text: 'Die E-Mail-Adresse Ihres Kontos wird zu {after} geändert, frühestens in 72 Stunden. Wenn Sie das nicht waren, lehnen Sie es hier ab:',
    },
    set_up: {
      subject: 'Öffnen Sie diesen Link, um fortzufahren',
      text: 'Sie möchten einen zweiten Schritt einrichten. Fahren Sie hier fort, im selben Browser:',
    },
    first_passkey: {
      subject: 'Ihr Konto hat jetzt einen zweiten Schritt: einen Passkey',
      text: 'Ihrem Konto wurde ein Passkey hinzugefügt: {name}. Von nun an reicht ein Passwort allein nicht mehr zur Anmeldung. Wenn Sie das nicht waren, entfernen Sie ihn hier:',
    },
    first_code_app: {
      subject: 'Ihr Konto hat jetzt einen zweiten Schritt: eine Code-App',
      text: 'Für Ihr Konto wurde eine Code-App eingerichtet. Von nun an reicht ein Passwort allein nicht mehr zur Anmeldung. Wenn Sie das nicht waren, entfernen Sie sie hier:',
    },
    register: {
      subject: 'Schließen Sie Ihre Registrierung ab',
      text: 'Jemand, wahrscheinlich Sie, hat ein Konto mit dieser Adresse angefordert. Schließen Sie es hier ab:',
    },
    have_account: {
      subject: 'Sie haben schon ein Konto',
      text: 'Jemand, wahrscheinlich Sie, hat ein Konto mit dieser Adresse angefordert. Es gibt schon eines. Melden Sie sich hier an, oder legen Sie ein neues Passwort fest:',
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
    new_sign_in: {
      subject: 'Neue Anmeldung bei Ihrem Konto',
      text: 'Bei Ihrem Konto gab es eine Anmeldung von einem Browser und einem Netzwerk, die dafür bisher nicht verwendet wurden.',
    },
    methods_reset: {
      subject: 'Ihre Anmeldewege wurden zurückgesetzt',
      text: 'Ein Administrator hat die Passkeys, die Code-App und die Wiederherstellungscodes Ihres Kontos entfernt. Alle Sitzungen sind beendet.',
    },
    account_deleted: {
      subject: 'Ihr Konto wurde gelöscht',
      text: 'Ihr Konto und alles, was dazugehört, wurde gelöscht.',
    },
    identity_linked: {
      subject: 'Ein Konto bei einem anderen Dienst kann Sie jetzt anmelden',
      text: 'Ein Konto bei {upstream} wurde mit Ihrem Konto verknüpft und meldet Sie von nun an an: {identity}. Wenn Sie das nicht waren, heben Sie die Verknüpfung auf.',
    },
    identity_removed: {
      subject: 'Die Verknüpfung mit einem Konto bei einem anderen Dienst wurde aufgehoben',
      text: 'Die Verknüpfung Ihres Kontos mit einem Konto bei {upstream} wurde aufgehoben. Es meldet Sie nicht mehr an: {identity}.',
    },
  },
};
