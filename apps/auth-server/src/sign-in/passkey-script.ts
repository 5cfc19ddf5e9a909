/**
 * The script of pages with a passkey: the button `passkey` asks the browser for one, or makes one, and posts the form with the answer in
 * its field `credential`. Where the page wants it, the browser offers passkeys in the field of the username too. `form.submit()` posts
 * without the required fields, which `requestSubmit()` would stop at. Without scripts, or passkeys, the button stays hidden.
 */
export const passkeyScript = `
{
  const options = JSON.parse(document.getElementById('webauthn').textContent);
  const button = document.getElementById('passkey');
  const hint = document.getElementById('passkey-hint');
  const { form } = button;
  let waiting = new AbortController();
  const ask = async (more) => {
    waiting.abort();
    waiting = new AbortController();
    const { signal } = waiting;
    hint.textContent = '';
    try {
      const credential = options.create
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options.create), signal })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.get), signal, ...more });
      form.elements.credential.value = JSON.stringify(credential.toJSON());
      form.submit();
    } catch {
      // The offer in the field of the username ends in silence.
      if (!signal.aborted && !more.mediation) hint.textContent = hint.dataset.text;
    }
  };
  if (window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
    button.hidden = options.hidden === true;
    button.addEventListener('click', () => ask({}));
    if (options.autofill) {
      PublicKeyCredential.isConditionalMediationAvailable?.().then((is) => is && ask({ mediation: 'conditional' }));
    }
    if (options.unknown) PublicKeyCredential.signalUnknownCredential?.(options.unknown);
  }
}
`;
