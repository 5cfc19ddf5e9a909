import type { MailMessages } from './en.ts';

export const it: MailMessages = {
  language: 'it',
  frame: {
    account: 'Account: {username}',
    organization: 'Organizzazione: {organization}',
    time: 'Data e ora: {time}',
    browser: 'Browser: {browser}',
    network: 'Rete: {network}',
    until: 'Il collegamento funziona una sola volta. Scadenza: {time}.',
    ignore: 'Se non l’ha chiesto Lei, ignori questa e-mail. Senza il collegamento non cambia nulla.',
    fine: 'Se è stato fatto da Lei, non deve fare nulla.',
    notYou: 'Se non è stato fatto da Lei, acceda, cambi la password e controlli le Sue sessioni:',
    help: 'Aiuto:',
    automatic: 'Questa e-mail è stata inviata automaticamente. Nessuno legge le risposte.',
  },
  links: {
    reset: {
      subject: 'Imposti una nuova password',
      text: 'Qualcuno, molto probabilmente Lei, ha chiesto una nuova password. La imposti qui:',
    },
    verify: {
      subject: 'Confermi il Suo indirizzo e-mail',
      text: 'Confermi che questo indirizzo è Suo:',
    },
    invitation: {
      subject: 'Il Suo invito',
      text: 'È stato creato un account per Lei. Scelga qui come accedere:',
    },
    email_old: {
      subject: 'Confermi il cambio del Suo indirizzo e-mail',
      text: 'L’indirizzo e-mail del Suo account sta per diventare {after}. Confermi o rifiuti qui:',
    },
    email_new: {
      subject: 'Confermi il Suo nuovo indirizzo e-mail',
      text: 'Questo sta per diventare l’indirizzo e-mail di un account. Lo confermi qui:',
    },
    email_told: {
      subject: 'Il Suo indirizzo e-mail cambierà',
      text: 'L’indirizzo e-mail del Suo account diventerà {after}, tra non meno di 72 ore. Se non è stato Lei, rifiuti qui:',
    },
    set_up: {
      subject: 'Apra questo collegamento per continuare',
      text: 'Ha chiesto di configurare un secondo passaggio. Continui qui, nello stesso browser:',
    },
    first_passkey: {
      subject: 'Il Suo account ha ora un secondo passaggio: una passkey',
      text: 'Al Suo account è stata aggiunta una passkey: {name}. D’ora in poi la sola password non basta per accedere. Se non è stato Lei, la rimuova qui:',
    },
    first_code_app: {
      subject: 'Il Suo account ha ora un secondo passaggio: un’app di codici',
      text: 'Per il Suo account è stata configurata un’app di codici. D’ora in poi la sola password non basta per accedere. Se non è stato Lei, la rimuova qui:',
    },
    register: {
      subject: 'Completi la registrazione',
      text: 'Qualcuno, probabilmente Lei, ha chiesto un account con questo indirizzo. Completi qui:',
    },
    have_account: {
      subject: 'Ha già un account',
      text: 'Qualcuno, probabilmente Lei, ha chiesto un account con questo indirizzo. Ne esiste già uno. Acceda o imposti una nuova password qui:',
    },
  },
  notices: {
    password_changed: { subject: 'La Sua password è stata cambiata', text: 'La Sua password è stata cambiata.' },
    passkey_added: {
      subject: 'È stata aggiunta una passkey',
      text: 'Al Suo account è stata aggiunta una passkey: {name}.',
    },
    passkey_removed: {
      subject: 'È stata rimossa una passkey',
      text: 'Dal Suo account è stata rimossa una passkey: {name}.',
    },
    code_app_added: {
      subject: 'È stata configurata un’app di codici',
      text: 'Per il Suo account è stata configurata un’app di codici.',
    },
    code_app_removed: {
      subject: 'È stata rimossa un’app di codici',
      text: 'L’app di codici del Suo account è stata rimossa.',
    },
    recovery_codes_made: {
      subject: 'Sono stati creati nuovi codici di recupero',
      text: 'Per il Suo account sono stati creati nuovi codici di recupero. Quelli precedenti non funzionano più.',
    },
    recovery_code_used: {
      subject: 'È stato usato un codice di recupero',
      text: 'È stato usato un codice di recupero per accedere al Suo account. Codici rimasti: {left}.',
    },
    password_known: {
      subject: 'Forse qualcuno conosce la Sua password',
      text: 'Qualcuno ha digitato la Sua password corretta e poi, molte volte, codici errati. Il Suo secondo passaggio ha impedito l’accesso. Cambi la password.',
    },
    counter_behind: {
      subject: 'Una passkey è stata rifiutata',
      text: 'Una passkey del Suo account è stata rifiutata: potrebbe esisterne una copia. La rimuova e ne crei una nuova.',
    },
    email_changed: {
      subject: 'Il Suo indirizzo e-mail è stato modificato',
      text: 'L’indirizzo e-mail del Suo account è stato modificato da {before} a {after}.',
    },
    new_sign_in: {
      subject: 'Nuovo accesso al Suo account',
      text: 'È stato effettuato un accesso al Suo account da un browser e da una rete non ancora usati per esso.',
    },
    methods_reset: {
      subject: 'I Suoi modi di accesso sono stati reimpostati',
      text: 'Un amministratore ha rimosso le passkey, l’app di codici e i codici di recupero del Suo account. Tutte le sessioni sono terminate.',
    },
    account_deleted: {
      subject: 'Il Suo account è stato eliminato',
      text: 'Il Suo account e tutto ciò che gli appartiene sono stati eliminati.',
    },
    identity_linked: {
      subject: 'Un account di un altro servizio ora consente l’accesso',
      text: 'Un account di {upstream} è stato collegato al Suo account e da ora consente l’accesso: {identity}. Se non è stato Lei, lo scolleghi.',
    },
    identity_removed: {
      subject: 'Un account di un altro servizio è stato scollegato',
      text: 'Un account di {upstream} è stato scollegato dal Suo account e non consente più l’accesso: {identity}.',
    },
  },
};
