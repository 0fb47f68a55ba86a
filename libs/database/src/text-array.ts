/** Every entry is quoted: unquoted, `null` is no text, and other entries would fall apart. */
export const textArray = (entries: readonly string[]): string =>
  `{${entries.map((entry) => `"${entry.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
