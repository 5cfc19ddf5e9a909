import type { LabelValue } from './metrics.ts';

/** One value for each combination of label values. */
export interface Series<T> {
  /** Creates the value at the first call. Looks it up label by label, so that an observation builds no key. */
  get(labels: readonly LabelValue[]): T;
  /** Lists the values in the order of their creation. */
  list(): readonly T[];
}

interface Node<T> {
  found?: T;
  next: Map<LabelValue, Node<T>>;
}

export function createSeries<T>(create: (labels: readonly LabelValue[]) => T): Series<T> {
  const root: Node<T> = { next: new Map() };
  const all: T[] = [];

  const step = (node: Node<T>, label: LabelValue): Node<T> => {
    const known = node.next.get(label);
    if (known !== undefined) return known;
    const made: Node<T> = { next: new Map() };
    node.next.set(label, made);
    return made;
  };

  return {
    get(labels) {
      let node = root;
      for (const label of labels) node = step(node, label);
      if (node.found === undefined) {
        node.found = create([...labels]);
        all.push(node.found);
      }
      return node.found;
    },
    list: () => all,
  };
}
