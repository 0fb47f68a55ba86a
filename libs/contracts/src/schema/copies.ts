/** Name of a copy, at most `max` characters: the original name is cut, between characters. */
export function nameOfCopy(name: string, max: number, kind = 'copy'): string {
  const suffix = ` (${kind})`;
  return `${name.slice(0, max - suffix.length).replace(/[\ud800-\udbff]$/, '')}${suffix}`;
}
