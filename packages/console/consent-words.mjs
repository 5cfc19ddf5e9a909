// Makes a module of the words of the consent page in each language: `import { words } from 'gatehouse-consent-words'`. They have one
// source, the messages of the pages of auth-server.
import { readdir } from 'node:fs/promises';
import { build as bundle } from 'esbuild';

const pages = new URL('../../apps/auth-server/src/pages/messages/', import.meta.url).pathname;

/** @param {string} language */
async function readWords(language) {
  const entryPoints = [`${pages}${language}.ts`];
  const { outputFiles } = await bundle({
    entryPoints,
    bundle: true,
    format: 'esm',
    packages: 'external',
    write: false,
  });
  const { [language]: messages } = await import(
    `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`
  );
  const { consent, application, scopes } = messages;
  const { title, asks, sees, seen, actWithRoles, atResource, useResource, goesTo, allow, deny } = consent;
  const { website, privacy, terms } = application;
  const words = { title, asks, sees, seen, actWithRoles, atResource, useResource, goesTo, allow, deny };
  return [language, { ...words, website, privacy, terms, stay: scopes.offline_access }];
}

/** @type {import('esbuild').Plugin} */
export const consentWords = {
  name: 'consent-words',
  setup(build) {
    build.onResolve({ filter: /^gatehouse-consent-words$/ }, ({ path }) => ({ path, namespace: 'consent-words' }));
    build.onLoad({ filter: /.*/, namespace: 'consent-words' }, async () => {
      const languages = (await readdir(pages)).flatMap((file) => /^([a-z]{2})\.ts$/.exec(file)?.[1] ?? []);
      const words = Object.fromEntries(await Promise.all(languages.map(readWords)));
      const watchFiles = languages.map((language) => `${pages}${language}.ts`);
      return { contents: `export const words = ${JSON.stringify(words)};`, loader: 'js', watchFiles };
    });
  },
};
