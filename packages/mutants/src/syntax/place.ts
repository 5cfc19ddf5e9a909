import type { Node } from '@babel/types';

/** Where a node of the syntax tree stands. */
export interface Place {
  /** Text of the whole file. */
  source: string;
  /** It is the whole condition of an `if`, a loop or a conditional expression. */
  decides: boolean;
  /** It decides a loop. */
  ofLoop: boolean;
  /** It is a side of `&&`, `||` or `??`. */
  isOperand: boolean;
  /** It is in no function. */
  atLoad: boolean;
  /** It is in the `examples` of the interface. */
  isExample: boolean;
}

export function textOf(node: Node, source: string): string {
  return source.slice(node.start ?? 0, node.end ?? 0);
}
