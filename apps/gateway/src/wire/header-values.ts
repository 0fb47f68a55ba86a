/** Every value of a header; Node keeps only the first of some repeated headers. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!;
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1]!);
  }
  return values;
}
