/** One small fault that may be put into a source file. */
export interface Mutant {
  /** Within its file, from 0. */
  id: number;
  line: number;
  /** The text that changes, and what it becomes; an empty one: the statement is left out. */
  original: string;
  replacement: string;
  /** It is part of what runs when the module is loaded, in no function. */
  atLoad: boolean;
}
