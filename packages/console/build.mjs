// Makes dist/: assets/ with hashed names, each with its .br and .gz; start.js, which imports the main one; manifest.json, by
// which the authorization server writes the page; LICENSES.txt of the packages in it. Files that a build before made go last:
// a service that runs may serve them.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { consentWords } from './consent-words.mjs';
import { guides } from './guides.mjs';
import { messages } from './messages.mjs';

const compressed = {
  '.br': (/** @type {Uint8Array} */ bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  '.gz': (/** @type {Uint8Array} */ bytes) => promisify(gzip)(bytes, { level: 9 }),
};

const { outputFiles, metafile } = await build({
  entryPoints: { main: 'src/main.tsx', style: 'src/style.css' },
  outdir: 'dist/assets',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  // Escapes would be half of some languages.
  charset: 'utf8',
  logLevel: 'warning',
  plugins: [consentWords, guides, messages],
  metafile: true,
  write: false,
});
await mkdir('dist/assets', { recursive: true });
const written = await Promise.all(
  outputFiles.flatMap(({ path, contents }) => [
    write(path, contents),
    ...Object.entries(compressed).map(async ([ending, compress]) => write(path + ending, await compress(contents))),
  ]),
);

const outputs = Object.entries(metafile.outputs);
/** @param {string} source */
const fileOf = (source) => outputs.find(([, { entryPoint }]) => entryPoint === source)?.[0] ?? '';
const main = fileOf('src/main.tsx');
const preload = (metafile.outputs[main]?.imports ?? [])
  .filter(({ kind, external }) => kind === 'import-statement' && !external)
  .map(({ path }) => basename(path));
const manifest = { main: basename(main), style: basename(fileOf('src/style.css')), preload };
/** The file of each language, which the start begins to load. */
const languageFiles = Object.fromEntries(
  outputs.flatMap(([file, { entryPoint = '' }]) => {
    const [, language] = /^src\/messages\/([a-z]{2})\.ts$/.exec(entryPoint) ?? [];
    return language === undefined ? [] : [[language, basename(file)]];
  }),
);
const { outputFiles: starts } = await build({
  entryPoints: ['src/start.ts'],
  ...{ bundle: true, minify: true, format: 'esm', target: 'es2022', write: false },
  define: {
    mainFile: JSON.stringify(manifest.main),
    styleFile: JSON.stringify(manifest.style),
    languageFiles: JSON.stringify(languageFiles),
  },
});
await Promise.all([
  writeFile('dist/manifest.json', JSON.stringify(manifest)),
  writeFile('dist/start.js', starts[0]?.contents ?? ''),
  writeFile('dist/LICENSES.txt', await collectLicenses()),
]);
const old = (await readdir('dist/assets')).filter((name) => !written.includes(name));
await Promise.all(old.map((name) => rm(join('dist/assets', name))));

/** Gives the name. */
async function write(/** @type {string} */ path, /** @type {Uint8Array} */ contents) {
  await writeFile(path, contents);
  return basename(path);
}

/** The licences of the packages that the files are made of. */
async function collectLicenses() {
  const packages = new Set(
    Object.keys(metafile.inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []),
  );
  const texts = [...packages].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
    const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
    return `${name} ${version}: ${license}\n\n${file === undefined ? '' : await readFile(`${folder}/${file}`, 'utf8')}`;
  });
  return (await Promise.all(texts)).join('\n\n---\n\n');
}
