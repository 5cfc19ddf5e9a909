import { isMap } from '../is-map.ts';
import type { Kind } from './kinds.ts';

/** Where something stands in a file. */
export interface Place {
  file: string;
  line: number;
}

/** An object as the files describe it. */
export interface Described {
  kind: Kind;
  name: string;
  /** The members, without references that are read elsewhere. */
  members: Readonly<Record<string, unknown>>;
  /** The values that the references of this object hold. */
  secrets: Secrets;
  place: Place;
}

export interface Secrets {
  /** Of a client or an upstream. */
  clientSecret?: string;
  /** The file into which a secret is made when the client is made. */
  generate?: string;
  /** Of a user that is made. */
  password?: string;
  logo?: Buffer;
}

export interface Project {
  name: string;
  objects: readonly Described[];
}

/** Why a group takes no members of a file. */
export function describeFilled(alias: string, group: string): string {
  return `upstream ${alias} fills the group ${group}, which takes no members in a file then`;
}

/** The groups that an upstream fills. */
export function listFilledGroups({ groups }: Readonly<Record<string, unknown>>): string[] {
  const map = isMap(groups) && isMap(groups.map) ? groups.map : {};
  return Object.values(map).map(String);
}
