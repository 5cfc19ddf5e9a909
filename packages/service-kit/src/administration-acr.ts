import { levels } from '@gatehouse/shared';
import { Type } from 'typebox';

/** The type of `ADMINISTRATION_ACR`, which both services have. */
export function administrationAcrType() {
  return Type.Enum([...levels], {
    description:
      'the level that administration requires of a Person: a second step from `urn:gatehouse:acr:mfa` on; the same at both',
    default: levels[0],
    expected: `be one of ${levels.join(', ')}`,
  });
}
