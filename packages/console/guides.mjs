// Makes a module of the guides of docs/guides that fit a kind of client: `import { guides } from 'gatehouse-guides'`. Their code
// has one source, which tests run as it stands.
import { readFile } from 'node:fs/promises';

const root = new URL('../../docs/guides/', import.meta.url);
/** By the kind of client that each registers; `after`: the heading behind the registration. */
const sources = {
  web: ['express', 'next-auth-js'],
  page: ['single-page-application', 'native-application'],
};

const block = /^(?:`([^`\n]+)`:\n\n)?```(\S+)(?: meanwhile)?\n([\s\S]*?)^```$/gm;

/** @param {string} name */
async function readGuide(name) {
  const text = await readFile(new URL(`${name}.md`, root), 'utf8');
  const [, registration = '', work = ''] = /\n## Register[^\n]*\n([\s\S]*?)\n## ([\s\S]*)/.exec(text) ?? [];
  /** @param {string} member */
  const registered = (member) => new RegExp(`"${member}":"([^"]*)"`).exec(registration)?.[1] ?? '';
  const [steps = ''] = work.split(/\n## (?!Write|Run|Install)/);
  return {
    title: /^# (.*)$/m.exec(text)?.[1] ?? name,
    clientId: registered('client_id'),
    secret: registered('client_secret'),
    redirectUri: registered('redirect_uri'),
    steps: [...steps.matchAll(block)]
      .filter(([, , language]) => language !== 'text')
      .map(([, path, language, code = '']) => ({ ...(path !== undefined && { path }), language, code })),
  };
}

/** @type {import('esbuild').Plugin} */
export const guides = {
  name: 'guides',
  setup(build) {
    build.onResolve({ filter: /^gatehouse-guides$/ }, ({ path }) => ({ path, namespace: 'guides' }));
    build.onLoad({ filter: /.*/, namespace: 'guides' }, async () => {
      const read = Object.entries(sources).map(async ([kind, names]) => [
        kind,
        await Promise.all(names.map(readGuide)),
      ]);
      const files = Object.values(sources).flatMap((names) =>
        names.map((name) => new URL(`${name}.md`, root).pathname),
      );
      const contents = `export const guides = ${JSON.stringify(Object.fromEntries(await Promise.all(read)))};`;
      return { contents, loader: 'js', watchFiles: files };
    });
  },
};
