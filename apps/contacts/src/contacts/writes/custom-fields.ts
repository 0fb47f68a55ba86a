import { invalidMember, maxCustomFields } from '@posthorn/contracts';

export type CustomFields = Record<string, unknown>;

/** What is stored: a null stands for no field at all (docs/api-decisions.md §5). */
export function withoutNulls(fields: CustomFields): CustomFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The fields after a merge: named ones are replaced whole, a null removes, the others stay. */
export function mergeFields(known: CustomFields, changes: CustomFields): CustomFields {
  const merged = withoutNulls({ ...known, ...changes });
  // Each request fits; what many of them make together has to fit too.
  if (Buffer.byteLength(JSON.stringify(merged)) > maxCustomFields) {
    throw invalidMember(
      ['customFields'],
      'too_long',
      `must be at most ${maxCustomFields} bytes of JSON in all`,
    );
  }
  return merged;
}
