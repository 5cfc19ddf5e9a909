import { parse } from '@babel/parser';
import type { Node } from '@babel/types';

/** A node, and what leads to it from its parent: `test`, `body`, … */
export interface Child {
  node: Node;
  key: string;
}

/** Types are gone when the code runs, and an import runs nothing. */
const withoutCode =
  /^(TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|ImportDeclaration|ExportAllDeclaration)/;

/** Parts of a node that are names or types. */
const namesAndTypes = new Set([
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'implements',
  'label',
]);

export function parseTypeScript(source: string): Node {
  return parse(source, { sourceType: 'module', plugins: ['typescript'] }).program;
}

/** The parts of a node that run, in the order of the text. */
export function listChildren(node: Node): Child[] {
  const children: Child[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (namesAndTypes.has(key) || isName(node, key)) continue;
    for (const each of Array.isArray(value) ? value : [value]) if (isCode(each)) children.push({ node: each, key });
  }
  return children.sort((a, b) => (a.node.start ?? 0) - (b.node.start ?? 0));
}

/** `{ name: value }` and `value.name`; `{ name }` is there as key and as value. */
function isName(node: Node, key: string): boolean {
  const computed = 'computed' in node && node.computed === true;
  return (key === 'key' || (key === 'property' && node.type !== 'MetaProperty')) && !computed;
}

function isCode(value: unknown): value is Node {
  if (typeof value !== 'object' || value === null || !('type' in value) || !('start' in value)) return false;
  return typeof value.type === 'string' && !value.type.startsWith('Comment') && !withoutCode.test(value.type);
}

export function isFunction({ type }: Node): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|ClassMethod|ObjectMethod|ClassPrivateMethod)$/.test(
    type,
  );
}
