/** The texts of the start page. `{issuer}` is the place of a link. */
export interface StartMessages {
  title: string;
  purpose: string;
  developers: string;
  reference: string;
  metadata: string;
}

/** By language, in the words of the pages of auth-server. They are plain strings: a bundle escapes what is not ASCII. */
export const startMessages = {
  en: {
    title: 'Organization API',
    purpose: 'This API gives user details to applications that send an access token of {issuer}.',
    developers: 'For developers',
    reference: 'API reference',
    metadata: 'Metadata of this API (RFC 9728)',
  },
  de: {
    title: 'Organisations-API',
    purpose: 'Diese API gibt Anwendungen, die ein Zugriffstoken von {issuer} senden, die Angaben zu Benutzern.',
    developers: 'Für Entwicklerinnen und Entwickler',
    reference: 'API-Referenz',
    metadata: 'Metadaten dieser API (RFC 9728)',
  },
  fr: {
    title: 'API de l’organisation',
    purpose:
      'Cette API fournit les informations des utilisateurs aux applications qui envoient un jeton d’accès de {issuer}.',
    developers: 'Pour les développeurs',
    reference: 'Référence de l’API',
    metadata: 'Métadonnées de cette API (RFC 9728)',
  },
  es: {
    title: 'API de la organización',
    purpose:
      'Esta API proporciona los datos de los usuarios a las aplicaciones que envían un token de acceso de {issuer}.',
    developers: 'Para desarrolladores',
    reference: 'Referencia de la API',
    metadata: 'Metadatos de esta API (RFC 9728)',
  },
  pt: {
    title: 'API da organização',
    purpose: 'Esta API fornece os dados dos usuários aos aplicativos que enviam um token de acesso de {issuer}.',
    developers: 'Para desenvolvedores',
    reference: 'Referência da API',
    metadata: 'Metadados desta API (RFC 9728)',
  },
  it: {
    title: 'API dell’organizzazione',
    purpose: 'Questa API fornisce i dati degli utenti alle applicazioni che inviano un token di accesso di {issuer}.',
    developers: 'Per gli sviluppatori',
    reference: 'Documentazione dell’API',
    metadata: 'Metadati di questa API (RFC 9728)',
  },
  nl: {
    title: 'Organisatie-API',
    purpose: 'Deze API geeft gebruikersgegevens aan toepassingen die een toegangstoken van {issuer} sturen.',
    developers: 'Voor ontwikkelaars',
    reference: 'API-referentie',
    metadata: 'Metagegevens van deze API (RFC 9728)',
  },
  pl: {
    title: 'API organizacji',
    purpose: 'To API udostępnia dane użytkowników aplikacjom, które przesyłają token dostępu wydany przez {issuer}.',
    developers: 'Dla programistów',
    reference: 'Dokumentacja API',
    metadata: 'Metadane tego API (RFC 9728)',
  },
  ja: {
    title: '組織 API',
    purpose: 'この API は、{issuer} が発行したアクセストークンを送信するアプリケーションに、ユーザー情報を提供します。',
    developers: '開発者の方へ',
    reference: 'API リファレンス',
    metadata: 'この API のメタデータ (RFC 9728)',
  },
  zh: {
    title: '组织 API',
    purpose: '此 API 为使用 {issuer} 所签发访问令牌的应用提供用户信息。',
    developers: '面向开发者',
    reference: 'API 参考',
    metadata: '此 API 的元数据 (RFC 9728)',
  },
} as const satisfies Record<string, StartMessages>;
