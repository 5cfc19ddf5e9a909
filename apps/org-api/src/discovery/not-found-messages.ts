import type { PageLanguage } from './plain-page.ts';

/** The texts of the page of an unknown address. */
export interface NotFoundMessages {
  title: string;
  nothing: string;
  advice: string;
  reference: string;
  start: string;
}

/** By language, in the words of the pages of auth-server. */
export const notFoundMessages: Readonly<Record<PageLanguage, NotFoundMessages>> = {
  en: {
    title: 'There is nothing here',
    nothing: 'No page has this address.',
    advice: 'Check the address, or start from the application that you want to use.',
    reference: 'If you report this, give this reference:',
    start: 'Start page',
  },
  de: {
    title: 'Hier ist nichts',
    nothing: 'Unter dieser Adresse gibt es keine Seite.',
    advice: 'Prüfen Sie die Adresse oder beginnen Sie bei der Anwendung, die Sie benutzen möchten.',
    reference: 'Wenn Sie das melden, nennen Sie bitte dieses Kennzeichen:',
    start: 'Startseite',
  },
  fr: {
    title: 'Il n’y a rien ici',
    nothing: 'Aucune page n’a cette adresse.',
    advice: 'Vérifiez l’adresse, ou partez de l’application que vous souhaitez utiliser.',
    reference: 'Si vous signalez ce problème, indiquez cette référence\u00a0:',
    start: 'Page d’accueil',
  },
  es: {
    title: 'Aquí no hay nada',
    nothing: 'Ninguna página tiene esta dirección.',
    advice: 'Compruebe la dirección o empiece desde la aplicación que desea utilizar.',
    reference: 'Si informa de este problema, indique esta referencia:',
    start: 'Página de inicio',
  },
  pt: {
    title: 'Não há nada aqui',
    nothing: 'Nenhuma página tem este endereço.',
    advice: 'Verifique o endereço ou comece pelo aplicativo que deseja usar.',
    reference: 'Se relatar este problema, informe esta referência:',
    start: 'Página inicial',
  },
  it: {
    title: 'Qui non c’è nulla',
    nothing: 'Nessuna pagina ha questo indirizzo.',
    advice: 'Controlli l’indirizzo o parta dall’applicazione che desidera usare.',
    reference: 'Se segnala il problema, indichi questo riferimento:',
    start: 'Pagina iniziale',
  },
  nl: {
    title: 'Hier is niets',
    nothing: 'Geen enkele pagina heeft dit adres.',
    advice: 'Controleer het adres, of begin bij de toepassing die u wilt gebruiken.',
    reference: 'Als u dit meldt, vermeld dan deze referentie:',
    start: 'Startpagina',
  },
  pl: {
    title: 'Nie znaleziono strony',
    nothing: 'Pod tym adresem nie ma żadnej strony.',
    advice: 'Sprawdź adres lub zacznij od aplikacji, z której chcesz skorzystać.',
    reference: 'Zgłaszając ten problem, podaj ten identyfikator:',
    start: 'Strona główna',
  },
  ja: {
    title: 'ページが見つかりません',
    nothing: 'このアドレスに該当するページはありません。',
    advice: 'アドレスを確認するか、ご利用になりたいアプリケーションから始めてください。',
    reference: 'お問い合わせの際は、次の参照番号をお知らせください：',
    start: 'トップページ',
  },
  zh: {
    title: '页面不存在',
    nothing: '此地址没有对应的页面。',
    advice: '请检查地址，或从您要使用的应用重新开始。',
    reference: '如需反馈此问题，请提供以下编号：',
    start: '首页',
  },
};
