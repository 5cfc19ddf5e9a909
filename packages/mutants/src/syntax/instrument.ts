import type { Node } from '@babel/types';
import type { Mutant } from './mutant.ts';
import { buildReplacements, hasExamples } from './mutators.ts';
import { type Place, textOf } from './place.ts';
import { type Child, isFunction, listChildren, parseTypeScript } from './syntax-tree.ts';

/** A file with all its mutants in it, of which a run switches on one. */
export interface Instrumented {
  code: string;
  mutants: Mutant[];
}

/** `$mutant(7)` says whether the seventh is on, and notes that a test came by. */
const ask = '$mutant';

/**
 * Puts every mutant of a file into it: `a < b` becomes `($mutant(7) ? a <= b : a < b)`. So the file is transformed once, and
 * not for each mutant. Lines stay. Pure.
 */
export function buildInstrumented(source: string, name: string): Instrumented {
  const mutants: Mutant[] = [];
  const place = { source, decides: false, ofLoop: false, isOperand: false, atLoad: true, isExample: false };
  const code = write({ node: parseTypeScript(source), key: 'program' }, undefined, place, mutants);
  const head = `const ${ask} = globalThis[Symbol.for('gatehouse mutants')].ask(${JSON.stringify(name)});`;
  return { code: mutants.length === 0 ? source : head + code, mutants };
}

function write({ node, key }: Child, parent: Node | undefined, outer: Place, mutants: Mutant[]): string {
  const place = { ...outer, ...(parent && standing(parent, key)) };
  if (parent !== undefined && hasExamples(parent)) place.isExample = true;
  const found = isPattern(node, parent, key) ? [] : buildReplacements(node, place);
  const first = mutants.length;
  for (const replacement of found) mutants.push(describe(node, replacement, mutants.length, place));
  const statement = isRemovable(node, parent) ? mutants.push(describe(node, '', mutants.length, place)) - 1 : undefined;
  const inner = isFunction(node) ? { ...place, atLoad: false } : place;
  const text = writeChildren(node, inner, mutants);
  if (statement !== undefined) return `{ if (!${ask}(${statement})) ${text} }`;
  if (found.length === 0) return text;
  const choices = found.map((replacement, index) => `${ask}(${first + index}) ? (${onOneLine(replacement)}) : `);
  return `(${choices.join('')}${text})`;
}

function writeChildren(node: Node, place: Place, mutants: Mutant[]): string {
  const { source } = place;
  let end = node.type === 'Program' ? 0 : (node.start ?? 0);
  let text = '';
  for (const child of listChildren(node)) {
    // `{ name }` has one text for key and value.
    if ((child.node.start ?? 0) < end) continue;
    text += source.slice(end, child.node.start ?? 0) + write(child, node, place, mutants);
    end = child.node.end ?? 0;
  }
  return text + source.slice(end, node.type === 'Program' ? source.length : (node.end ?? 0));
}

function describe(node: Node, replacement: string, id: number, { source, atLoad }: Place): Mutant {
  const original = textOf(node, source);
  return { id, line: node.loc?.start.line ?? 0, original, replacement, atLoad };
}

function standing(parent: Node, key: string): Pick<Place, 'decides' | 'ofLoop' | 'isOperand'> {
  const ofLoop = /^(For|While|DoWhile)Statement$/.test(parent.type);
  const decides = key === 'test' && (ofLoop || /^(If|Conditional)/.test(parent.type));
  return { decides, ofLoop: decides && ofLoop, isOperand: parent.type === 'LogicalExpression' };
}

/** An assignment's left side is no value, nor is what `delete` takes; the inner part of a chain of `?.` has no end of its own. */
function isPattern({ type }: Node, parent: Node | undefined, key: string): boolean {
  if (parent === undefined) return false;
  if (parent.type === 'UnaryExpression') return parent.operator === 'delete';
  if (type.startsWith('Optional'))
    return (key === 'object' || key === 'callee') && /^(Optional|TSNonNull)/.test(parent.type);
  return parent.type === 'UpdateExpression' || (parent.type === 'AssignmentExpression' && key === 'left');
}

/** A call for its effect, and a throw that is not all that a condition decides on: that one is the condition's mutant. */
function isRemovable(node: Node, parent: Node | undefined): boolean {
  if (parent?.type !== 'BlockStatement' && parent?.type !== 'IfStatement' && parent?.type !== 'ForOfStatement')
    return false;
  if (node.type === 'ThrowStatement') return parent.type === 'BlockStatement';
  if (node.type !== 'ExpressionStatement' || parent.type === 'IfStatement') return false;
  const { expression } = node;
  const called = expression.type === 'AwaitExpression' ? expression.argument : expression;
  return /^(Optional)?CallExpression$/.test(called.type);
}

/** A text that stays must stay on its line. A comment in the text that changes would end with its line. */
function onOneLine(text: string): string {
  return /\/\/|`/.test(text) ? text : text.replaceAll(/\s*\n\s*/g, ' ');
}
