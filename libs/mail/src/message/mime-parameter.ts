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

const parameter = /;\s*([^\s=;]+)=("(?:[^"\\]|\\.)*"|[^\s;]*)/g;

/** `method` comes first, as calendars expect it (RFC 6047 §2.4); `name` is given by the file. */
export function readMediaType(written: string): { type: string; parameters: string } {
  const end = written.indexOf(';');
  if (end === -1) return { type: written.trim().toLowerCase(), parameters: '' };
  const given = [...written.slice(end).matchAll(parameter)]
    .map(([, name, value]) => [name!.toLowerCase(), value!] as const)
    .filter(([name]) => !/^name(?:\*|$)/.test(name));
  const isMethod = ([name]: readonly [string, string]): boolean => name === 'method';
  const ordered = [...given.filter(isMethod), ...given.filter((each) => !isMethod(each))];
  return {
    type: written.slice(0, end).trim().toLowerCase(),
    parameters: ordered.map(([name, value]) => `; ${name}=${value}`).join(''),
  };
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
