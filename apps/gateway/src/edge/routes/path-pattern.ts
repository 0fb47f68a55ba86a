/** Whether a path is of a pattern as the router reads it: a name is one part of a path, a star at the end is whatever follows. */
export function isOfPattern(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const fits = wanted.every(
    (part, index) => part === '*' || (part.startsWith(':') ? Boolean(given[index]) : part === given[index]),
  );
  return fits && (wanted.at(-1) === '*' ? given.length >= wanted.length : given.length === wanted.length);
}
