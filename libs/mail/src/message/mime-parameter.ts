/** Parameters of RFC 2045 §5.1, and of RFC 2231 where a value is long or not ASCII. */

const quotable = /^[\x20-\x7e]*$/;
const maxValue = 60;
const needsEscape = /[^A-Za-z0-9!#$&+.^_`|~-]/;

/** A non-ASCII name is also given in a plain form, for clients that know no other. */
export function formatParameter(name: string, value: string): string {
  if (quotable.test(value) && value.length <= maxValue) return `\r\n ${name}="${quoted(value)}"`;
  const plain = value.replace(/[^\x20-\x7e]/g, '_').slice(-maxValue);
  return `\r\n ${name}="${quoted(plain)}";${extended(name, value)}`;
}

const quoted = (value: string): string => value.replace(/["\\]/g, '\\$&');

function extended(name: string, value: string): string {
  const pieces: string[] = [`UTF-8''`];
  for (const character of value) {
    const escaped = needsEscape.test(character) ? escape(character) : character;
    if (pieces.at(-1)!.length + escaped.length > maxValue) pieces.push('');
    pieces[pieces.length - 1] += escaped;
  }
  if (pieces.length === 1) return `\r\n ${name}*=${pieces[0]}`;
  return pieces.map((piece, index) => `\r\n ${name}*${index}*=${piece}`).join(';');
}

const escape = (character: string): string =>
  [...Buffer.from(character, 'utf8')]
    .map((octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
