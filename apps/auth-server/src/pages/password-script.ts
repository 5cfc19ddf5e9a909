/**
 * The script of pages with a password field: a button shows what was typed, and a hint says that Caps Lock is on. Without
 * scripts the button stays hidden. The words stand in the page, so that the script is the same in every language.
 */
export const passwordScript = `
const field = document.getElementById('password');
const button = document.getElementById('show-password');
const hint = document.getElementById('caps-lock');
const show = (shown) => {
  field.type = shown ? 'text' : 'password';
  button.lastChild.textContent = shown ? button.dataset.hide : button.dataset.show;
  button.classList.toggle('shown', shown);
};
const tell = (event) => {
  const text = event.getModifierState?.('CapsLock') ? hint.dataset.text : '';
  if (hint.textContent !== text) hint.textContent = text;
};
button.hidden = false;
button.addEventListener('click', () => show(field.type === 'password'));
field.form.addEventListener('submit', () => show(false));
field.addEventListener('keydown', tell);
field.addEventListener('keyup', tell);
`;
