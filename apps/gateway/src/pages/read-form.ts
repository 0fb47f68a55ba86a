import { invalidMember } from '@posthorn/contracts';

const maxFields = 50;

/** `application/x-www-form-urlencoded` with one value per name, and text that Postgres can store. */
export function readForm(text: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  const entries = [...new URLSearchParams(text)].slice(0, maxFields);
  for (const [name, value] of entries) {
    if (value.includes('\0') || name.includes('\0'))
      throw invalidMember([name.replaceAll('\0', '')], 'invalid_text', 'must not contain NUL');
    fields[name] = value;
  }
  return fields;
}
