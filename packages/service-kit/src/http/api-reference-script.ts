/**
 * Adds to the page of Swagger UI: the width of a phone, names of fields and buttons for screen readers (WCAG 2.2, 4.1.2 and
 * 2.5.3), code that the keyboard can scroll (2.1.1). It also puts a link into the button that opens an operation, which no
 * screen reader can tell from the button: without its address it is text. Swagger UI draws parts of the page again at any time.
 */
export const apiReferenceScript = `
document.head.append(
  Object.assign(document.createElement('meta'), { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
);
const buttons = {
  '.close-modal': 'Close',
  '.copy-to-clipboard button': 'Copy',
  '.json-schema-2020-12-accordion': 'Members',
};
const all = (selector) => document.querySelectorAll(selector);
const hasLabel = (field) =>
  [...field.labels].some((label) => label.textContent.replace(label.contains(field) ? field.textContent : '', '').trim() !== '');
const nameOf = (field) =>
  field.id === 'servers' ? 'Server' : (field.closest('[data-param-name]')?.dataset.paramName ?? 'Request body');
const mend = () => {
  for (const link of all('.opblock-summary-control a[href]')) link.removeAttribute('href');
  for (const code of all('pre.microlight:not([tabindex])')) code.tabIndex = 0;
  for (const field of all(':is(input, select, textarea):not([aria-label])')) {
    if (!hasLabel(field)) field.setAttribute('aria-label', nameOf(field));
  }
  for (const [selector, name] of Object.entries(buttons)) {
    for (const button of all(selector)) if (button.textContent === '') button.setAttribute('aria-label', name);
  }
  for (const button of all('.auth-btn-wrapper button[aria-label]')) {
    const { ariaLabel, textContent } = button;
    if (!ariaLabel.startsWith(textContent)) button.ariaLabel = textContent + ': ' + ariaLabel;
  }
};
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
`;
