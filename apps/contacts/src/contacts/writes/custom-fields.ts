import { invalidMember, maxCustomFields } from '@posthorn/contracts';

export const usableFieldName = /^[A-Za-z0-9_]+$/;

export type CustomFields = Record<string, unknown>;

/** A null stands for no field at all (docs/api-decisions.md §5). */
export function withoutNulls(fields: CustomFields): CustomFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

export function mergeFields(known: CustomFields, changes: CustomFields): CustomFields {
  const merged = withoutNulls({ ...known, ...changes });
  // Each request is within the limit, but many small merges may exceed it.
  if (Buffer.byteLength(JSON.stringify(merged)) > maxCustomFields) {
    throw invalidMember(
      ['customFields'],
      'too_long',
      `must be at most ${maxCustomFields} bytes of JSON in all`,
    );
  }
  return merged;
}
