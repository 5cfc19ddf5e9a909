import { ProblemError } from '@gatehouse/shared';
import { Type } from 'typebox';

/** The version of an object that a change is meant for, as its `ETag` names it. Undefined: any version. */
export type ExpectedVersion = string | undefined;

/** The header by which a change names its version, for the description of an operation. */
export const VersionHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({ description: 'The `ETag` of the object as it was read: 412 where it was changed meanwhile' }),
  ),
});

/** The strong entity tag of an object (RFC 9110 8.8.3), of the time of its last change in milliseconds. Every change moves that. */
export function entityTagOf({ updatedAt }: { updatedAt: number }): string {
  return `"${updatedAt.toString(36)}"`;
}

/** The version that a request names by `If-Match` (RFC 9110 13.1.1). Throws 400 for anything but one strong tag or `*`. */
export function readExpectedVersion(ifMatch: string | undefined): ExpectedVersion {
  if (ifMatch === undefined || ifMatch === '*') return undefined;
  if (/^"[\x21\x23-\x7e\x80-\xff]*"$/.test(ifMatch)) return ifMatch;
  throw new ProblemError(400, 'If-Match must be one strong entity tag, as the ETag of an answer says it, or *');
}

/** Whether a change is meant for the object as it is. */
export function isExpectedVersion(expected: ExpectedVersion, current: { updatedAt: number }): boolean {
  return expected === undefined || expected === entityTagOf(current);
}

/** The 412 of a change that is meant for another version. `shown`: the object as its `GET` shows it. */
export function changedMeanwhile(shown: object): ProblemError {
  return new ProblemError(412, 'changed meanwhile', { members: { current: shown } });
}

/** Throws the 412 of a change that is meant for another version. `show`: the object as its `GET` shows it. */
export function checkVersion<T extends { updatedAt: number }>(
  expected: ExpectedVersion,
  current: T,
  show: (current: T) => object,
): void {
  if (!isExpectedVersion(expected, current)) throw changedMeanwhile(show(current));
}
