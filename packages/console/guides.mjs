// Makes a module of the guides that fit a kind of client, and of those that protect an API:
// `import { guides, apiGuides } from 'gatehouse-guides'`. Their code has one source, which tests run as it stands.
import { readFile } from 'node:fs/promises';

const root = new URL('../../docs/guides/', import.meta.url);
/** By the kind of client that each registers. That of a machine or a Robot is a section of a guide. */
const sources = {
  web: ['express', 'next-auth-js', 'spring', 'go', 'python', 'php', 'dotnet'],
  page: ['single-page-application', 'native-application'],
  machine: ['spring', 'go', 'python', 'php', 'dotnet'],
  robot: ['machine'],
};
/** @type {Record<string, RegExp>} */
const headings = { machine: /\n## (A machine in [^\n]*)\n/, robot: /\n## (A service account)\n/ };

const ofApis = new URL('../../docs/protect-your-api/', import.meta.url);
/** Pages of docs/protect-your-api. */
const apiPages = ['python', 'go', 'spring', 'nginx', 'apache'];
/** APIs that stand in examples/. */
const apiExamples = { Fastify: 'fastify-api', Express: 'express-api' };

const block = /^(?:`([^`\n]+)`:\n\n)?```(\S+)(?: meanwhile)?\n([\s\S]*?)^```$/gm;

/** @param {string} kind @param {string} name */
async function readGuide(kind, name) {
  const text = await readFile(new URL(`${name}.md`, root), 'utf8');
  const heading = headings[kind];
  return heading === undefined ? readApplication(text, name) : readSection(text, heading);
}

/** @param {string} text @param {string} name */
function readApplication(text, name) {
  const [, registration = '', work = ''] = /\n## Register[^\n]*\n([\s\S]*?)\n## ([\s\S]*)/.exec(text) ?? [];
  const [steps = ''] = work.split(/\n## (?!Write|Run|Install)/);
  return buildGuide(/^# (.*)$/m.exec(text)?.[1] ?? name, registration, steps);
}

/**
 * A section of a guide, which registers a client of its own.
 * @param {string} text
 * @param {RegExp} heading
 */
function readSection(text, heading) {
  const [, title = '', rest = ''] = text.split(heading);
  const [section = ''] = rest.split('\n## ', 1);
  // The answer to the registration parts it from the work.
  const [registration = '', ...steps] = section.split(/^(?=```text$)/m);
  const install = /\n## Write it\n+(```sh\n[\s\S]*?^```\n)/m.exec(text)?.[1] ?? '';
  return buildGuide(title.replace('A machine in ', ''), registration, `${install}\n${steps.join('')}`);
}

/**
 * @param {string} title
 * @param {string} registration the section that registers the client
 * @param {string} steps
 */
function buildGuide(title, registration, steps) {
  /** @param {string} member */
  const registered = (member) => new RegExp(`"${member}":"([^"]*)"`).exec(registration)?.[1] ?? '';
  return {
    title,
    clientId: registered('client_id'),
    secret: registered('client_secret'),
    redirectUri: registered('redirect_uri'),
    robot: registered('srvc_ac_user_name'),
    steps: readSteps(steps).filter(({ language }) => language !== 'text'),
  };
}

/** @param {string} text */
const readSteps = (text) =>
  [...text.matchAll(block)].map(([, path, language = '', code = '']) => ({
    ...(path !== undefined && { path }),
    ...{ language, code },
  }));

/** @param {string} name */
async function readApiPage(name) {
  const text = await readFile(new URL(`${name}.md`, ofApis), 'utf8');
  return { title: /^# (.*)$/m.exec(text)?.[1] ?? name, steps: readSteps(text) };
}

/** @param {[title: string, folder: string]} example */
async function readApiExample([title, folder]) {
  const code = await readFile(new URL(`../../examples/${folder}/server.js`, import.meta.url), 'utf8');
  return { title: `Node.js: ${title}`, steps: [{ path: 'server.js', language: 'js', code }] };
}

/** @type {import('esbuild').Plugin} */
export const guides = {
  name: 'guides',
  setup(build) {
    build.onResolve({ filter: /^gatehouse-guides$/ }, ({ path }) => ({ path, namespace: 'guides' }));
    build.onLoad({ filter: /.*/, namespace: 'guides' }, async () => {
      const read = Object.entries(sources).map(async ([kind, names]) => [
        kind,
        await Promise.all(names.map((name) => readGuide(kind, name))),
      ]);
      const forApis = [...Object.entries(apiExamples).map(readApiExample), ...apiPages.map(readApiPage)];
      const files = Object.values(sources).flatMap((names) =>
        names.map((name) => new URL(`${name}.md`, root).pathname),
      );
      const contents = `export const guides = ${JSON.stringify(Object.fromEntries(await Promise.all(read)))};
export const apiGuides = ${JSON.stringify(await Promise.all(forApis))};`;
      return { contents, loader: 'js', watchFiles: files };
    });
  },
};
