// Browsers read a backslash as a slash and skip control characters.
const misread = /[\\\u0000-\u001f\u007f]/;

/** Whether it is a path of this installation and never another host, however written. */
export function isOwnPath(value: string): boolean {
  const base = 'http://own.invalid';
  return (
    value.startsWith('/') &&
    !misread.test(value) &&
    URL.canParse(value, base) &&
    new URL(value, base).origin === base
  );
}
