import { type Level, levels } from '@gatehouse/shared';
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

/** The level that administration demands of a Person: at least that of the second step, where the Person has one. */
export function findAdministrationLevel(administrationAcr: Level, hasSecondStep: boolean): Level {
  const [password, mfa] = levels;
  return hasSecondStep && administrationAcr === password ? mfa : administrationAcr;
}
