const maxDepth = 32;

/** What Postgres can store of a text from outside: without NUL and lone surrogates. */
export const storableText = (text: string, insteadOfNul = ''): string =>
  text.replaceAll('\0', insteadOfNul).toWellFormed();

/** The object or array that a text from outside holds, as Postgres can store it; undefined where it holds none, or one that is nested too deep. */
export function storableJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text) || isTooDeep(text)) return undefined;
  try {
    return storable(JSON.parse(text)) as object;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whoever reads or writes it again would run out of stack. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value, '\ufffd');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableText(name, '\ufffd'), storable(member)]),
  );
}
