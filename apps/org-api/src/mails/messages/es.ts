import type { MailMessages } from './en.ts';

export const es: MailMessages = {
  language: 'es',
  frame: {
    account: 'Cuenta: {username}',
    organization: 'Organización: {organization}',
    time: 'Fecha y hora: {time}',
    browser: 'Navegador: {browser}',
    network: 'Red: {network}',
    until: 'El enlace funciona una sola vez, hasta el {time}.',
    ignore: 'Si no ha pedido esto, ignore este mensaje. Sin el enlace no cambia nada.',
    fine: 'Si fue usted, no tiene que hacer nada.',
    notYou: 'Si no fue usted, inicie sesión, cambie su contraseña y revise sus sesiones:',
    help: 'Ayuda:',
    automatic: 'Este mensaje se ha enviado automáticamente. Nadie lee las respuestas.',
  },
  links: {
    reset: {
      subject: 'Crear una nueva contraseña',
      text: 'Alguien, seguramente usted, ha pedido una nueva contraseña. Créela aquí:',
    },
    verify: {
      subject: 'Confirme su dirección de correo electrónico',
      text: 'Confirme que esta dirección es suya:',
    },
    invitation: {
      subject: 'Su invitación',
      text: 'Se ha creado una cuenta para usted. Elija aquí cómo inicia sesión:',
    },
  },
  notices: {
    password_changed: { subject: 'Se ha cambiado su contraseña', text: 'Se ha cambiado su contraseña.' },
    passkey_added: {
      subject: 'Se ha añadido una llave de acceso',
      text: 'Se ha añadido una llave de acceso a su cuenta: {name}.',
    },
    passkey_removed: {
      subject: 'Se ha quitado una llave de acceso',
      text: 'Se ha quitado una llave de acceso de su cuenta: {name}.',
    },
    code_app_added: {
      subject: 'Se ha configurado una aplicación de códigos',
      text: 'Se ha configurado una aplicación de códigos para su cuenta.',
    },
    code_app_removed: {
      subject: 'Se ha quitado una aplicación de códigos',
      text: 'Se ha quitado la aplicación de códigos de su cuenta.',
    },
    recovery_codes_made: {
      subject: 'Se han creado nuevos códigos de recuperación',
      text: 'Se han creado nuevos códigos de recuperación para su cuenta. Los anteriores ya no funcionan.',
    },
    recovery_code_used: {
      subject: 'Se ha usado un código de recuperación',
      text: 'Se ha usado un código de recuperación para iniciar sesión en su cuenta. Códigos restantes: {left}.',
    },
    password_known: {
      subject: 'Puede que alguien conozca su contraseña',
      text: 'Alguien escribió su contraseña correcta y después, muchas veces, códigos incorrectos. Su segundo paso impidió el acceso. Cambie su contraseña.',
    },
    counter_behind: {
      subject: 'Se ha rechazado una llave de acceso',
      text: 'Se ha rechazado una llave de acceso de su cuenta: puede que exista una copia. Quítela y cree una nueva.',
    },
    email_changed: {
      subject: 'Se ha cambiado su dirección de correo electrónico',
      text: 'La dirección de correo electrónico de su cuenta ha cambiado de {before} a {after}.',
    },
  },
};
