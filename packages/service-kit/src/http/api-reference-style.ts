import { emblemFile } from '../html/emblem.ts';

/** The emblem of the pages, as the icon of the browser's tab. */
export const apiReferenceIcon = emblemFile;

/** What makes Swagger UI a page of this service: its colours and fonts, no bar of another product, room on a phone. */
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
}
`;
