import {
  type ClientRegistration,
  clientRegistrationSchema,
  createFieldsChecker,
  type FieldsResult,
} from '@gatehouse/shared';
import { pickClientMetadata } from './client-metadata.ts';
import { findSettingsFaults } from './client-settings.ts';

/** Checks a registration's fields and the rules between them, in one result. */
export function createRegistrationChecker(
  extraScopes: readonly string[],
): (body: unknown) => FieldsResult<ClientRegistration> {
  const checkFields = createFieldsChecker(clientRegistrationSchema(extraScopes));
  return (body) => {
    const result = checkFields(body);
    if (!result.ok) return result;
    const errors = findSettingsFaults({
      ...result.value,
      hasSecret: result.value.client_secret !== undefined,
      metadata: pickClientMetadata(result.value),
    });
    return errors.length > 0 ? { ok: false, errors } : result;
  };
}
