const suffix = ' (copy)';

/** The name of a copy, cut to `max` characters: what is cut is the original's, never a character in its middle. */
export function nameOfCopy(name: string, max: number): string {
  return `${name.slice(0, max - suffix.length).replace(/[\ud800-\udbff]$/, '')}${suffix}`;
}
