import { Html, html } from './html.ts';

/** The icon in the tab of the browser. */
export interface DocumentIcon {
  href: string;
  type: string;
}

/** The parts of a page other than its texts. */
export interface PageDocument {
  language: string;
  title: string;
  style: string;
  icon: DocumentIcon;
  body: Html;
}

/** A whole page of a service. It names no other file but its icon, fits small screens and stays out of search engines. */
export function buildDocument({ language, title, style, icon, body }: PageDocument): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon.href}" type="${icon.type}">
<style>${new Html(style)}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
