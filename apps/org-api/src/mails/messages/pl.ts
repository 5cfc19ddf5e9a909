import type { MailMessages } from './en.ts';

export const pl: MailMessages = {
  language: 'pl',
  frame: {
    account: 'Konto: {username}',
    organization: 'Organizacja: {organization}',
    time: 'Czas: {time}',
    browser: 'Przeglądarka: {browser}',
    network: 'Sieć: {network}',
    until: 'Link działa jeden raz, do {time}.',
    ignore: 'Jeśli ta prośba nie pochodzi od Ciebie, zignoruj tę wiadomość. Bez użycia linku nic się nie zmieni.',
    fine: 'Jeśli to Ty, nie musisz nic robić.',
    notYou: 'Jeśli to nie Ty, zaloguj się, zmień hasło i przejrzyj swoje sesje:',
    help: 'Pomoc:',
    automatic: 'Ta wiadomość została wysłana automatycznie. Nikt nie czyta odpowiedzi na nią.',
  },
  links: {
    reset: {
      subject: 'Ustaw nowe hasło',
      text: 'Ktoś, najprawdopodobniej Ty, poprosił o nowe hasło. Ustaw je tutaj:',
    },
    verify: {
      subject: 'Potwierdź swój adres e-mail',
      text: 'Potwierdź, że ten adres należy do Ciebie:',
    },
    invitation: {
      subject: 'Twoje zaproszenie',
      text: 'Utworzono dla Ciebie konto. Wybierz tutaj, jak będziesz się logować:',
    },
    email_old: {
      subject: 'Potwierdź zmianę adresu e-mail',
      text: 'Adres e-mail Twojego konta ma zostać zmieniony na {after}. Potwierdź lub odrzuć tutaj:',
    },
    email_new: {
      subject: 'Potwierdź nowy adres e-mail',
      text: 'To ma być adres e-mail konta. Potwierdź go tutaj:',
    },
    email_told: {
      subject: 'Twój adres e-mail zostanie zmieniony',
      text: 'Adres e-mail Twojego konta zostanie zmieniony na {after}, najwcześniej za 72 godziny. Jeśli to nie Ty, odrzuć to tutaj:',
    },
    set_up: {
      subject: 'Otwórz ten link, aby kontynuować',
      text: 'Chcesz ustawić drugi krok. Kontynuuj tutaj, w tej samej przeglądarce:',
    },
    first_passkey: {
      subject: 'Twoje konto ma teraz drugi krok: klucz dostępu',
      text: 'Do Twojego konta dodano klucz dostępu: {name}. Odtąd samo hasło nie wystarcza do zalogowania. Jeśli to nie Ty, usuń go tutaj:',
    },
    first_code_app: {
      subject: 'Twoje konto ma teraz drugi krok: aplikację kodów',
      text: 'Dla Twojego konta ustawiono aplikację z kodami. Odtąd samo hasło nie wystarcza do zalogowania. Jeśli to nie Ty, usuń ją tutaj:',
    },
    register: {
      subject: 'Dokończ rejestrację',
      text: 'Ktoś, prawdopodobnie Ty, poprosił o konto z tym adresem. Dokończ tutaj:',
    },
    have_account: {
      subject: 'Masz już konto',
      text: 'Ktoś, prawdopodobnie Ty, poprosił o konto z tym adresem. Takie konto już istnieje. Zaloguj się lub ustaw nowe hasło tutaj:',
    },
  },
  notices: {
    password_changed: { subject: 'Twoje hasło zostało zmienione', text: 'Twoje hasło zostało zmienione.' },
    passkey_added: { subject: 'Dodano klucz dostępu', text: 'Do Twojego konta dodano klucz dostępu: {name}.' },
    passkey_removed: { subject: 'Usunięto klucz dostępu', text: 'Z Twojego konta usunięto klucz dostępu: {name}.' },
    code_app_added: {
      subject: 'Skonfigurowano aplikację kodów',
      text: 'Dla Twojego konta skonfigurowano aplikację kodów.',
    },
    code_app_removed: { subject: 'Usunięto aplikację kodów', text: 'Aplikacja kodów Twojego konta została usunięta.' },
    recovery_codes_made: {
      subject: 'Utworzono nowe kody odzyskiwania',
      text: 'Dla Twojego konta utworzono nowe kody odzyskiwania. Poprzednie już nie działają.',
    },
    recovery_code_used: {
      subject: 'Użyto kodu odzyskiwania',
      text: 'Użyto kodu odzyskiwania, aby zalogować się na Twoje konto. Pozostało kodów: {left}.',
    },
    password_known: {
      subject: 'Ktoś może znać Twoje hasło',
      text: 'Ktoś wpisał Twoje prawidłowe hasło, a potem wiele razy błędne kody. Drugi krok uniemożliwił dostęp. Zmień hasło.',
    },
    counter_behind: {
      subject: 'Odrzucono klucz dostępu',
      text: 'Odrzucono klucz dostępu Twojego konta: może istnieć jego kopia. Usuń go i utwórz nowy.',
    },
    email_changed: {
      subject: 'Twój adres e-mail został zmieniony',
      text: 'Adres e-mail Twojego konta został zmieniony z {before} na {after}.',
    },
    new_sign_in: {
      subject: 'Nowe logowanie na Twoje konto',
      text: 'Na Twoje konto zalogowano się z przeglądarki i z sieci, których dotąd dla niego nie używano.',
    },
    methods_reset: {
      subject: 'Twoje sposoby logowania zostały zresetowane',
      text: 'Administrator usunął klucze dostępu, aplikację kodów i kody odzyskiwania z Twojego konta. Wszystkie sesje zostały zakończone.',
    },
    account_deleted: {
      subject: 'Twoje konto zostało usunięte',
      text: 'Twoje konto i wszystko, co do niego należy, zostało usunięte.',
    },
    identity_linked: {
      subject: 'Konto w innym serwisie może Cię teraz logować',
      text: 'Z Twoim kontem połączono konto w serwisie {upstream}, które od teraz Cię loguje: {identity}. Jeśli to nie Ty, odłącz je.',
    },
    identity_removed: {
      subject: 'Odłączono konto w innym serwisie',
      text: 'Od Twojego konta odłączono konto w serwisie {upstream}, które już Cię nie loguje: {identity}.',
    },
  },
};
