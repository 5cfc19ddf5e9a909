// Imports the main file by its hashed name. A replica of another release may answer without it: it is asked for again for 30
// seconds, each time under a new query, because browsers remember an import that failed.
import { chooseLanguage, type Language } from './messages/languages.ts';

declare const mainFile: string;
declare const styleFile: string;
declare const languageFiles: Record<Language, string>;

const assets = new URL('assets/', import.meta.url);
const giveUpAt = Date.now() + 30_000;
const say = (text: string) => {
  const page = document.getElementById('app');
  if (page !== null) page.textContent = text;
};

async function start(attempt: number): Promise<void> {
  try {
    await import(new URL(attempt === 0 ? mainFile : `${mainFile}?again=${attempt}`, assets).href);
  } catch (error) {
    if (Date.now() > giveUpAt) {
      say('The console could not be loaded. Reload the page in a minute.');
      throw error;
    }
    say('The console is being updated. One moment \u2026');
    setTimeout(start, Math.min(500 * 2 ** attempt, 4_000), attempt + 1);
  }
}

const language = chooseLanguage(navigator.languages);
document.documentElement.lang = language;
// The main file asks for it once it has come: the browser begins at once.
const texts = document.createElement('link');
texts.rel = 'modulepreload';
texts.href = new URL(languageFiles[language], assets).href;
document.head.append(texts);

const sheet = document.querySelector<HTMLLinkElement>('link[rel=stylesheet]');
sheet?.addEventListener('error', () => {
  setTimeout(() => sheet.setAttribute('href', new URL(`${styleFile}?again=${Date.now()}`, assets).href), 1_000);
});
void start(0);
