import type {
  ArrayExpression,
  BinaryExpression,
  CallExpression,
  LogicalExpression,
  Node,
  NumericLiteral,
  ObjectExpression,
  UnaryExpression,
} from '@babel/types';
import { type Place, textOf } from './place.ts';

/** Texts that may stand in place of an expression. */
type Mutator<N extends Node> = (node: N, place: Place) => readonly string[];

const swappedOperators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
};

/** Numbers below are counts and places: the next one is a fault. Those from it on are limits and times: none, and twice as many. */
const firstLimit = 10;

const mutators: { readonly [T in Node['type']]?: Mutator<Extract<Node, { type: T }>> } = {
  BinaryExpression: swapOperator,
  LogicalExpression: dropOperand,
  BooleanLiteral: ({ value }) => [String(!value)],
  NumericLiteral: changeNumber,
  UnaryExpression: dropNegation,
  ArrayExpression: emptyArray,
  ObjectExpression: emptyObject,
  CallExpression: swapExtreme,
};

/** The replacements of `node`, by its kind and by whether it decides what runs next. Pure. */
export function buildReplacements(node: Node, place: Place): readonly string[] {
  if (place.isExample) return [];
  const mutator = mutators[node.type] as Mutator<Node> | undefined;
  const own = mutator?.(node, place) ?? [];
  return place.decides ? [...decisions(node, place), ...own] : own;
}

/** A loop that never ends shows nothing but that it never ends. */
function decisions(node: Node, { ofLoop }: Place): readonly string[] {
  if (node.type === 'BooleanLiteral') return [];
  const choices = ofLoop ? ['false'] : ['true', 'false'];
  const whereTyped = findTypedOutcome(node);
  return choices.filter((choice) => choice !== whereTyped);
}

/**
 * The outcome of a check after which the types let the code go on: `false` of `a === undefined`, `true` of `a instanceof B`. A
 * check that always has this outcome is left out: types alone often need it, and then no test can notice its absence.
 */
function findTypedOutcome(node: Node): 'true' | 'false' | undefined {
  if (node.type === 'UnaryExpression' && node.operator === '!') return negate(findTypedOutcome(node.argument));
  if (node.type === 'LogicalExpression') return findTypedOutcome(node.left) && findTypedOutcome(node.right);
  if (node.type !== 'BinaryExpression') return undefined;
  const { operator, left, right } = node;
  if (operator === 'instanceof') return 'true';
  const isTypeof = left.type === 'UnaryExpression' && left.operator === 'typeof';
  const isNothing = right.type === 'NullLiteral' || (right.type === 'Identifier' && right.name === 'undefined');
  if (isTypeof) return operator === '===' ? 'true' : 'false';
  if (!isNothing) return undefined;
  return operator === '===' ? 'false' : 'true';
}

function negate(outcome: 'true' | 'false' | undefined): 'true' | 'false' | undefined {
  return outcome && (outcome === 'true' ? 'false' : 'true');
}

/** Where an equality decides, or is one of several conditions, its contrary is noticed where its absence is. */
function swapOperator(node: BinaryExpression, place: Place): readonly string[] {
  const swapped = swappedOperators[node.operator];
  if (swapped === undefined || ((place.decides || place.isOperand) && node.operator.endsWith('=='))) return [];
  if (node.operator === '+' && (isText(node.left) || isText(node.right))) return [];
  return [withOperator(node, node.left, node.right, swapped, place.source)];
}

function withOperator(node: Node, left: Node, right: Node, operator: string, source: string): string {
  const between = source.slice(left.end ?? 0, right.start ?? 0);
  const changed = between.replace(/[<>=!+*/-]+/, operator);
  return source.slice(node.start ?? 0, left.end ?? 0) + changed + source.slice(right.start ?? 0, node.end ?? 0);
}

function isText(node: Node): boolean {
  if (node.type === 'BinaryExpression') return isText(node.left) || isText(node.right);
  return node.type === 'StringLiteral' || node.type === 'TemplateLiteral';
}

/**
 * Each operand is needed. Of `a && b && c` the left one, `a && b`, is left out by leaving out `a` and `b`. A check that types
 * need stays, and so does the default of `a ?? b`.
 */
function dropOperand({ operator, left, right }: LogicalExpression, { source }: Place): readonly string[] {
  const isChain = left.type === 'LogicalExpression' && left.operator === operator;
  const isTyped = (node: Node) => findTypedOutcome(node) === (operator === '&&' ? 'true' : 'false');
  return [
    ...(operator === '??' || isTyped(right) ? [] : [textOf(left, source)]),
    ...(isChain || isTyped(left) ? [] : [textOf(right, source)]),
  ];
}

function changeNumber({ value }: NumericLiteral): readonly string[] {
  return value < firstLimit ? [String(value + 1)] : ['0', String(value * 2)];
}

function dropNegation({ operator, argument }: UnaryExpression, { decides, source }: Place): readonly string[] {
  return operator === '!' && !decides ? [textOf(argument, source)] : [];
}

function emptyArray({ elements }: ArrayExpression): readonly string[] {
  return elements.length === 0 ? [] : ['[]'];
}

/** A description of the interface is a text, as texts are. */
function emptyObject({ properties }: ObjectExpression): readonly string[] {
  return properties.every(isDescription) ? [] : ['{}'];
}

function isDescription(property: Node): boolean {
  return nameOf(property) === 'description' || hasExamples(property);
}

/** Whether a node is the member `examples` of an object. */
export function hasExamples(node: Node): boolean {
  return nameOf(node) === 'examples';
}

function nameOf(node: Node): string | undefined {
  return node.type === 'ObjectProperty' && node.key.type === 'Identifier' ? node.key.name : undefined;
}

function swapExtreme(node: CallExpression, { source }: Place): readonly string[] {
  const name = textOf(node.callee, source);
  if (name !== 'Math.min' && name !== 'Math.max') return [];
  return [(name === 'Math.min' ? 'Math.max' : 'Math.min') + source.slice(node.callee.end ?? 0, node.end ?? 0)];
}
