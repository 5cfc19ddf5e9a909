import type { MailMessages } from './en.ts';

export const fr: MailMessages = {
  language: 'fr',
  frame: {
    account: 'Compte\u00a0: {username}',
    organization: 'Organisation\u00a0: {organization}',
    time: 'Date et heure\u00a0: {time}',
    browser: 'Navigateur\u00a0: {browser}',
    network: 'Réseau\u00a0: {network}',
    until: 'Le lien fonctionne une seule fois, jusqu’au {time}.',
    ignore: 'Si vous n’avez pas demandé cela, ignorez cet e-mail. Sans le lien, rien ne change.',
    fine: 'Si c’était vous, vous n’avez rien à faire.',
    notYou: 'Si ce n’était pas vous, connectez-vous, modifiez votre mot de passe et vérifiez vos sessions\u00a0:',
    help: 'Aide\u00a0:',
    automatic: 'Cet e-mail a été envoyé automatiquement. Personne ne lit les réponses.',
  },
  links: {
    reset: {
      subject: 'Définir un nouveau mot de passe',
      text: 'Quelqu’un, sans doute vous, a demandé un nouveau mot de passe. Définissez-le ici\u00a0:',
    },
    verify: {
      subject: 'Confirmez votre adresse e-mail',
      text: 'Confirmez que cette adresse est la vôtre\u00a0:',
    },
    invitation: {
      subject: 'Votre invitation',
      text: 'Un compte a été créé pour vous. Choisissez ici comment vous vous connectez\u00a0:',
    },
    email_old: {
      subject: 'Confirmez le changement de votre adresse e-mail',
      text: 'L’adresse e-mail de votre compte doit devenir {after}. Confirmez ou refusez ici\u00a0:',
    },
    email_new: {
      subject: 'Confirmez votre nouvelle adresse e-mail',
      text: 'Cette adresse doit devenir l’adresse e-mail d’un compte. Confirmez-la ici\u00a0:',
    },
    email_told: {
      subject: 'Votre adresse e-mail va changer',
      text: 'L’adresse e-mail de votre compte deviendra {after}, dans 72 heures au plus tôt. Si ce n’était pas vous, refusez ici\u00a0:',
    },
    set_up: {
      subject: 'Ouvrez ce lien pour continuer',
      text: 'Vous avez demandé à configurer une deuxième étape. Continuez ici, dans le même navigateur\u00a0:',
    },
    first_passkey: {
      subject: 'Votre compte a maintenant une deuxième étape\u00a0: une clé d’accès',
      text: 'Une clé d’accès a été ajoutée à votre compte\u00a0: {name}. Désormais, le mot de passe seul ne suffit plus pour vous connecter. Si ce n’était pas vous, supprimez-la ici\u00a0:',
    },
    first_code_app: {
      subject: 'Votre compte a maintenant une deuxième étape\u00a0: une application de codes',
      text: 'Une application de codes a été configurée pour votre compte. Désormais, le mot de passe seul ne suffit plus pour vous connecter. Si ce n’était pas vous, supprimez-la ici\u00a0:',
    },
    register: {
      subject: 'Terminez votre inscription',
      text: 'Quelqu’un, sans doute vous, a demandé un compte avec cette adresse. Terminez ici\u00a0:',
    },
    have_account: {
      subject: 'Vous avez déjà un compte',
      text: 'Quelqu’un, sans doute vous, a demandé un compte avec cette adresse. Il en existe déjà un. Connectez-vous ou définissez un nouveau mot de passe ici\u00a0:',
    },
  },
  notices: {
    password_changed: { subject: 'Votre mot de passe a été modifié', text: 'Votre mot de passe a été modifié.' },
    passkey_added: {
      subject: 'Une clé d’accès a été ajoutée',
      text: 'Une clé d’accès a été ajoutée à votre compte\u00a0: {name}.',
    },
    passkey_removed: {
      subject: 'Une clé d’accès a été supprimée',
      text: 'Une clé d’accès a été supprimée de votre compte\u00a0: {name}.',
    },
    code_app_added: {
      subject: 'Une application de codes a été configurée',
      text: 'Une application de codes a été configurée pour votre compte.',
    },
    code_app_removed: {
      subject: 'Une application de codes a été supprimée',
      text: 'L’application de codes de votre compte a été supprimée.',
    },
    recovery_codes_made: {
      subject: 'De nouveaux codes de secours ont été créés',
      text: 'De nouveaux codes de secours ont été créés pour votre compte. Les précédents ne fonctionnent plus.',
    },
    recovery_code_used: {
      subject: 'Un code de secours a été utilisé',
      text: 'Un code de secours a été utilisé pour se connecter à votre compte. Codes restants\u00a0: {left}.',
    },
    password_known: {
      subject: 'Quelqu’un connaît peut-être votre mot de passe',
      text: 'Quelqu’un a saisi votre mot de passe correct, puis de nombreuses fois des codes erronés. Votre deuxième étape a empêché l’accès. Modifiez votre mot de passe.',
    },
    counter_behind: {
      subject: 'Une clé d’accès a été refusée',
      text: 'Une clé d’accès de votre compte a été refusée\u00a0: il en existe peut-être une copie. Supprimez-la et créez-en une nouvelle.',
    },
    email_changed: {
      subject: 'Votre adresse e-mail a été modifiée',
      text: 'L’adresse e-mail de votre compte a été modifiée\u00a0: {before} est devenue {after}.',
    },
    new_sign_in: {
      subject: 'Nouvelle connexion à votre compte',
      text: 'Une connexion à votre compte a eu lieu depuis un navigateur et un réseau qui n’avaient pas encore servi pour lui.',
    },
    methods_reset: {
      subject: 'Vos moyens de connexion ont été réinitialisés',
      text: 'Un administrateur a supprimé les clés d’accès, l’application de codes et les codes de secours de votre compte. Toutes les sessions ont pris fin.',
    },
    account_deleted: {
      subject: 'Votre compte a été supprimé',
      text: 'Votre compte et tout ce qui lui appartient ont été supprimés.',
    },
    identity_linked: {
      subject: 'Un compte d’un autre service peut désormais vous connecter',
      text: 'Un compte chez {upstream} a été associé à votre compte et vous connecte désormais\u00a0: {identity}. Si ce n’était pas vous, dissociez-le.',
    },
    identity_removed: {
      subject: 'Un compte d’un autre service a été dissocié',
      text: 'Un compte chez {upstream} a été dissocié de votre compte et ne vous connecte plus\u00a0: {identity}.',
    },
  },
};
