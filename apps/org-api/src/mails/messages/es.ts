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
    email_old: {
      subject: 'Confirme el cambio de su correo electrónico',
      text: 'La dirección de correo de su cuenta va a cambiar a {after}. Confírmelo o rechácelo aquí:',
    },
    email_new: {
      subject: 'Confirme su nuevo correo electrónico',
      text: 'Esta va a ser la dirección de correo de una cuenta. Confírmelo aquí:',
    },
    email_told: {
      subject: 'Su correo electrónico va a cambiar',
      text: 'La dirección de correo de su cuenta cambiará a {after}, como muy pronto dentro de 72 horas. Si no ha sido usted, rechácelo aquí:',
    },
    set_up: {
      subject: 'Abra este enlace para continuar',
      text: 'Pidió configurar un segundo paso. Continúe aquí, en el mismo navegador:',
    },
    first_passkey: {
      subject: 'Su cuenta tiene ahora un segundo paso: una llave de acceso',
      text: 'Se añadió una llave de acceso a su cuenta: {name}. A partir de ahora, la contraseña sola no basta para iniciar sesión. Si no ha sido usted, elimínela aquí:',
    },
    first_code_app: {
      subject: 'Su cuenta tiene ahora un segundo paso: una aplicación de códigos',
      text: 'Se configuró una aplicación de códigos para su cuenta. A partir de ahora, la contraseña sola no basta para iniciar sesión. Si no ha sido usted, elimínela aquí:',
    },
    register: {
      subject: 'Termine su registro',
      text: 'Alguien, probablemente usted, pidió una cuenta con esta dirección. Termine aquí:',
    },
    have_account: {
      subject: 'Ya tiene una cuenta',
      text: 'Alguien, probablemente usted, pidió una cuenta con esta dirección. Ya existe una. Inicie sesión o cree una nueva contraseña aquí:',
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
    new_sign_in: {
      subject: 'Nuevo inicio de sesión en su cuenta',
      text: 'Se inició sesión en su cuenta desde un navegador y una red que no se habían usado antes para ella.',
    },
    methods_reset: {
      subject: 'Se han restablecido sus formas de iniciar sesión',
      text: 'Un administrador ha eliminado las llaves de acceso, la aplicación de códigos y los códigos de recuperación de su cuenta. Todas las sesiones han terminado.',
    },
    account_deleted: {
      subject: 'Su cuenta se ha eliminado',
      text: 'Su cuenta y todo lo que pertenece a ella se han eliminado.',
    },
    identity_linked: {
      subject: 'Una cuenta de otro servicio ya puede iniciar su sesión',
      text: 'Se ha vinculado a su cuenta una cuenta de {upstream}, que desde ahora inicia su sesión: {identity}. Si no ha sido usted, desvincúlela.',
    },
    identity_removed: {
      subject: 'Se ha desvinculado una cuenta de otro servicio',
      text: 'Se ha desvinculado de su cuenta una cuenta de {upstream}, que ya no inicia su sesión: {identity}.',
    },
  },
};
