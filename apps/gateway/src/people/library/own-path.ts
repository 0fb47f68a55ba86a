// A backslash is a slash to browsers, and control characters vanish from what they read.
const misread = /[\\\u0000-\u001f\u007f]/;

/** A path of this installation, as a link may lead back to; never another host, however it is written. */
export function isOwnPath(value: string): boolean {
  const base = 'http://own.invalid';
  return (
    value.startsWith('/') &&
    !misread.test(value) &&
    URL.canParse(value, base) &&
    new URL(value, base).origin === base
  );
}
