// Leaves the names of messages out of the files of the languages, where they were a fifth of all bytes of the console: a file has its
// texts in the order of en.ts, and `gatehouse-message-names`, which the main file loads, gives each its name.
import { readFile } from 'node:fs/promises';
import { parse } from '@babel/parser';

/**
 * The names of an object in their order; of an object in it, with the names of that.
 * @typedef {(string | [name: string, names: Names])[]} Names
 *
 * Nodes of the syntax tree, as far as they are read here.
 * @typedef {{ start: number, end: number }} Span
 * @typedef {Span & { type: string, properties: Member[] }} Expression
 * @typedef {Span & { type: string, computed?: boolean, shorthand?: boolean, key: Name, value: Expression }} Member
 * @typedef {{ name?: string, value?: string }} Name
 */

const english = new URL('src/messages/en.ts', import.meta.url).pathname;

/** The object, where each of its names stands there as it is. @param {Expression | undefined} node */
function asNamed(node) {
  if (node?.type !== 'ObjectExpression') return undefined;
  const isNamed = node.properties.every((each) => each.type === 'ObjectProperty' && !each.computed && !each.shorthand);
  return isNamed ? node : undefined;
}

/** @param {Member} member */
const nameOf = ({ key }) => String(key.name ?? key.value);

/** @param {Expression} object @returns {Names} */
const readNames = (object) =>
  object.properties.map((member) => {
    const inner = asNamed(member.value);
    return inner === undefined ? nameOf(member) : [nameOf(member), readNames(inner)];
  });

/**
 * The spans of a text that stand for these names, each with what stands in their place. Throws where the object has other names.
 * @param {Expression | undefined} object @param {Names} names @returns {[start: number, end: number, text: string][]}
 */
function listEdits(object, names) {
  const { start, end, properties: members } = object ?? { start: 0, end: 0, properties: [] };
  if (members.length !== names.length) throw new Error(`other messages than ${JSON.stringify(names)}`);
  const inner = members.flatMap((member, index) => {
    const [name, ofValue] = [names[index]].flat();
    if (nameOf(member) !== name) throw new Error(`${nameOf(member)} in the place of ${name}`);
    const edits = Array.isArray(ofValue) ? listEdits(asNamed(member.value), ofValue) : [];
    return [/** @type {[number, number, string]} */ ([member.start, member.value.start, '']), ...edits];
  });
  return [[start, start + 1, '['], [end - 1, end, ']'], ...inner];
}

/** The text of a language, and the object of its messages. @param {string} path */
async function readLanguage(path) {
  const text = await readFile(path, 'utf8');
  const { body } = parse(text, { sourceType: 'module', plugins: ['typescript'] }).program;
  const declarations = body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' && statement.declaration?.type === 'VariableDeclaration'
      ? statement.declaration.declarations
      : [],
  );
  const found = declarations.find(({ id }) => id.type === 'Identifier' && id.name === 'messages');
  const object = asNamed(/** @type {Expression | undefined} */ (/** @type {unknown} */ (found?.init)));
  if (object === undefined) throw new Error(`${path} exports no object of messages`);
  return { text, object };
}

/** @returns {Promise<Names>} */
const readEnglish = async () => readNames((await readLanguage(english)).object);

/** @param {string} path */
async function dropNames(path) {
  const { text, object } = await readLanguage(path);
  const edits = listEdits(object, await readEnglish());
  let texts = text;
  // From the end, so that the places of those before stay.
  for (const [start, end, edited] of edits.sort(([one], [other]) => other - one)) {
    texts = texts.slice(0, start) + edited + texts.slice(end);
  }
  return `import { nameTexts } from 'gatehouse-message-names';
${texts.replace('export const messages', 'const texts')}
export const messages = nameTexts(texts);`;
}

/** @type {import('esbuild').Plugin} */
export const messages = {
  name: 'messages',
  setup(build) {
    build.onResolve({ filter: /^gatehouse-message-names$/ }, ({ path }) => ({ path, namespace: 'message-names' }));
    build.onLoad({ filter: /.*/, namespace: 'message-names' }, async () => ({
      contents: `const join = (names, texts) => Object.fromEntries(names.map((name, index) =>
  typeof name === 'string' ? [name, texts[index]] : [name[0], join(name[1], texts[index])]));
const names = ${JSON.stringify(await readEnglish())};
export const nameTexts = (texts) => join(names, texts);`,
      watchFiles: [english],
    }));
    build.onLoad({ filter: /\/src\/messages\/[a-z]{2}\.ts$/ }, async ({ path }) => ({
      contents: await dropNames(path),
      loader: 'ts',
    }));
    // Next to the main file, so that no language waits for it.
    build.onLoad({ filter: /\/src\/messages\/messages\.ts$/ }, async ({ path }) => ({
      contents: `import 'gatehouse-message-names';\n${await readFile(path, 'utf8')}`,
      loader: 'ts',
    }));
  },
};
