import { nearestName } from '@posthorn/contracts';

/** What an unknown name is refused with; clients mostly mistyped one that is known. */
export function unknownField(what: 'field' | 'parameter', name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return `is not a known ${what}${nearest === null ? '' : `; did you mean \`${nearest}\`?`}`;
}
