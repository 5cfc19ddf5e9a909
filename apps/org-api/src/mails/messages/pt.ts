import type { MailMessages } from './en.ts';

export const pt: MailMessages = {
  language: 'pt',
  frame: {
    account: 'Conta: {username}',
    organization: 'Organização: {organization}',
    time: 'Data e hora: {time}',
    browser: 'Navegador: {browser}',
    network: 'Rede: {network}',
    until: 'O link funciona uma única vez, até {time}.',
    ignore: 'Se você não pediu isto, ignore este e-mail. Sem o link, nada muda.',
    fine: 'Se foi você, não precisa fazer nada.',
    notYou: 'Se não foi você, entre, altere a sua senha e veja as suas sessões:',
    help: 'Ajuda:',
    automatic: 'Este e-mail foi enviado automaticamente. Ninguém lê as respostas.',
  },
  links: {
    reset: {
      subject: 'Definir uma nova senha',
      text: 'Alguém, provavelmente você, pediu uma nova senha. Defina-a aqui:',
    },
    verify: {
      subject: 'Confirme o seu endereço de e-mail',
      text: 'Confirme que este endereço é seu:',
    },
    invitation: {
      subject: 'O seu convite',
      text: 'Foi criada uma conta para você. Escolha aqui como entra:',
    },
    email_old: {
      subject: 'Confirme a alteração do seu e-mail',
      text: 'O endereço de e-mail da sua conta vai mudar para {after}. Confirme ou recuse aqui:',
    },
    email_new: {
      subject: 'Confirme o seu novo e-mail',
      text: 'Este vai ser o endereço de e-mail de uma conta. Confirme aqui:',
    },
    email_told: {
      subject: 'O seu e-mail vai mudar',
      text: 'O endereço de e-mail da sua conta vai mudar para {after}, dentro de 72 horas, no mínimo. Se não foi você, recuse aqui:',
    },
    set_up: {
      subject: 'Abra este link para continuar',
      text: 'Você pediu para configurar um segundo passo. Continue aqui, no mesmo navegador:',
    },
    first_passkey: {
      subject: 'A sua conta tem agora um segundo passo: uma chave de acesso',
      text: 'Uma chave de acesso foi adicionada à sua conta: {name}. A partir de agora, só a senha não basta para entrar. Se não foi você, remova-a aqui:',
    },
    first_code_app: {
      subject: 'A sua conta tem agora um segundo passo: um aplicativo de códigos',
      text: 'Um aplicativo de códigos foi configurado para a sua conta. A partir de agora, só a senha não basta para entrar. Se não foi você, remova-o aqui:',
    },
    register: {
      subject: 'Conclua o seu registro',
      text: 'Alguém, provavelmente você, pediu uma conta com este endereço. Conclua aqui:',
    },
    have_account: {
      subject: 'Você já tem uma conta',
      text: 'Alguém, provavelmente você, pediu uma conta com este endereço. Já existe uma. Entre ou defina uma nova senha aqui:',
    },
  },
  notices: {
    password_changed: { subject: 'A sua senha foi alterada', text: 'A sua senha foi alterada.' },
    passkey_added: {
      subject: 'Uma chave de acesso foi adicionada',
      text: 'Uma chave de acesso foi adicionada à sua conta: {name}.',
    },
    passkey_removed: {
      subject: 'Uma chave de acesso foi removida',
      text: 'Uma chave de acesso foi removida da sua conta: {name}.',
    },
    code_app_added: {
      subject: 'Uma aplicação de códigos foi configurada',
      text: 'Uma aplicação de códigos foi configurada para a sua conta.',
    },
    code_app_removed: {
      subject: 'Uma aplicação de códigos foi removida',
      text: 'A aplicação de códigos da sua conta foi removida.',
    },
    recovery_codes_made: {
      subject: 'Novos códigos de recuperação foram criados',
      text: 'Novos códigos de recuperação foram criados para a sua conta. Os anteriores não funcionam mais.',
    },
    recovery_code_used: {
      subject: 'Um código de recuperação foi usado',
      text: 'Um código de recuperação foi usado para entrar na sua conta. Códigos restantes: {left}.',
    },
    password_known: {
      subject: 'Talvez alguém saiba a sua senha',
      text: 'Alguém digitou a sua senha correta e depois, muitas vezes, códigos incorretos. O seu segundo passo impediu o acesso. Altere a sua senha.',
    },
    counter_behind: {
      subject: 'Uma chave de acesso foi recusada',
      text: 'Uma chave de acesso da sua conta foi recusada: talvez exista uma cópia dela. Remova-a e crie uma nova.',
    },
    email_changed: {
      subject: 'O seu endereço de e-mail foi alterado',
      text: 'O endereço de e-mail da sua conta foi alterado de {before} para {after}.',
    },
    new_sign_in: {
      subject: 'Nova entrada na sua conta',
      text: 'Houve uma entrada na sua conta a partir de um navegador e de uma rede que ainda não tinham sido usados para ela.',
    },
    methods_reset: {
      subject: 'As suas formas de entrar foram redefinidas',
      text: 'Um administrador removeu as chaves de acesso, o aplicativo de códigos e os códigos de recuperação da sua conta. Todas as sessões foram encerradas.',
    },
    account_deleted: {
      subject: 'A sua conta foi excluída',
      text: 'A sua conta e tudo o que pertence a ela foram excluídos.',
    },
    identity_linked: {
      subject: 'Uma conta de outro serviço já pode iniciar a sua sessão',
      text: 'Uma conta de {upstream} foi vinculada à sua conta e a partir de agora inicia a sua sessão: {identity}. Se não foi você, desvincule-a.',
    },
    identity_removed: {
      subject: 'Uma conta de outro serviço foi desvinculada',
      text: 'Uma conta de {upstream} foi desvinculada da sua conta e já não inicia a sua sessão: {identity}.',
    },
  },
};
