import type { UserChanges } from '@gatehouse/shared';
import { changePersonalData, touchesPersonalData } from './personal-data.ts';
import type { User } from './user.ts';
import { changedColumns, formatPersonalData, parsePersonalData, rowFromUser, userFromRow } from './user-row.ts';

/** The user as a change would leave it. `groups`: the names of the groups, where the change is of them. */
export function previewChange(user: User, changes: UserChanges, groups = user.groups ?? []): User {
  const changed = previewColumns(user, changes);
  return groups.length === 0 ? changed : { ...changed, groups };
}

function previewColumns(user: User, changes: UserChanges): User {
  const row = rowFromUser(user);
  if (!touchesPersonalData(changes)) return userFromRow({ ...row, ...changedColumns(changes) });
  const personalData = changePersonalData(parsePersonalData(row.personal_data), row.email, changes);
  return userFromRow({ ...row, ...changedColumns(changes), personal_data: formatPersonalData(personalData) });
}
