import { foldGroupName } from '@gatehouse/shared';

/** Makes the function that says whether a group is one of these names, of which one that ends with `*` stands for all that begin so. */
export function createMatchGroups(names: readonly string[]): (group: string) => boolean {
  const wanted = names.map(foldGroupName);
  return (group) => {
    const name = foldGroupName(group);
    return wanted.some((one) => name === one || (one.endsWith('*') && name.startsWith(one.slice(0, -1))));
  };
}
