/** Matches like the router: `:name` is one segment, a trailing `*` is any rest. */
export function isOfPattern(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const fits = wanted.every(
    (part, index) => part === '*' || (part.startsWith(':') ? Boolean(given[index]) : part === given[index]),
  );
  return fits && (wanted.at(-1) === '*' ? given.length >= wanted.length : given.length === wanted.length);
}
