import { emblemFile } from '../html/emblem.ts';

/** The emblem of the pages, as the icon of the browser's tab. */
export const apiReferenceIcon = emblemFile;

/** Swagger UI has colours that WCAG 2.2 does not allow: 1.4.3 for texts, 2.4.7 for the focus, which it hides. */
const inReadableColours = `
.swagger-ui :focus-visible { outline: 3px solid #0b5a8f !important; outline-offset: 2px; }
html.dark-mode .swagger-ui :focus-visible { outline-color: #7cc4f5 !important; }
.swagger-ui .info .title small { background: #51606f; }
.swagger-ui .info .title small.version-stamp { background: #2f6b12; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #0b5a8f; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1b6e43; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5000; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #00696b; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
.swagger-ui .btn.cancel { color: #b3261e; border-color: #b3261e; }
.swagger-ui .parameter__name.required span, .swagger-ui .parameter__name.required::after { color: #b3261e; }
.swagger-ui .parameter__in, .swagger-ui .parameter__extension, .swagger-ui .response__extension,
.swagger-ui .response-undocumented { color: #51606f; }
.swagger-ui .scopes h2 a { color: #0b5a8f; }
.swagger-ui .json-schema-2020-12-expand-deep-button, .swagger-ui .json-schema-2020-12-keyword__name--extension { color: #51606f; }
.swagger-ui .json-schema-2020-12__constraint { background: #5b3fa8; }
.swagger-ui .json-schema-2020-12__constraint--string { background: #7a5200; }
html:not(.dark-mode) .swagger-ui :is(.copy-to-clipboard, .download-contents) { background: #51606f; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .try-out__btn.cancel { color: #ff8a80; border-color: #ff8a80; }
html.dark-mode .swagger-ui .opblock-tag a { color: #7cc4f5; }
.swagger-ui .microlight span[style*="211, 99, 99"] { color: #ffa3a3 !important; }
`;

/** Makes Swagger UI a page of this service: its colours and fonts, no bar of another product, room on a phone. */
export const apiReferenceStyle = `
.swagger-ui .topbar { display: none; }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description,
.swagger-ui .btn, .swagger-ui .info p, .swagger-ui .info li {
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
.swagger-ui .info { margin: 2rem 0; }
.swagger-ui .info p, .swagger-ui .info li { font-size: 1rem; line-height: 1.6; }
.swagger-ui .btn.authorize { color: #0b5a8f; border-color: #0b5a8f; }
.swagger-ui .btn.authorize svg { fill: #0b5a8f; }
.swagger-ui .btn.execute { background: #0b5a8f; border-color: #0b5a8f; }
.swagger-ui .info a, .swagger-ui .opblock-tag a { color: #0b5a8f; }
.swagger-ui .opblock-summary-path { overflow-wrap: anywhere; }
${inReadableColours}
@media (max-width: 40rem) {
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; }
  .swagger-ui .info .title { font-size: 1.6rem; overflow-wrap: anywhere; }
  .swagger-ui .scheme-container .schemes { flex-wrap: wrap; gap: 1rem; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui table, .swagger-ui tbody, .swagger-ui tr, .swagger-ui td { display: block; max-width: 100%; }
  .swagger-ui thead { display: none; }
  .swagger-ui table tbody tr td { width: auto; min-width: 0; padding-right: 0; }
  .swagger-ui input, .swagger-ui select, .swagger-ui textarea { max-width: 100%; min-width: 0 !important; }
  .swagger-ui .wrapper { padding: 0 .75rem; }
  .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; gap: .5rem; }
  .swagger-ui .dialog-ux .modal-ux { max-width: calc(100vw - 1.5rem); min-width: 0; }
  .swagger-ui pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .swagger-ui .model-box { display: block; }
  .swagger-ui .json-schema-2020-12__constraint { margin-left: 0; }
  .swagger-ui .json-schema-2020-12__constraint, .swagger-ui .json-schema-2020-12-accordion, .swagger-ui .auth-container h4 {
    overflow-wrap: anywhere; text-align: left; }
  .swagger-ui .opblock .tab-header .tab-item.active h4 span::after { display: none; }
}
`;
