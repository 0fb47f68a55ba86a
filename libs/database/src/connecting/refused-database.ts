/** A server or a configuration that would break a promise; its message says what to do, and is printed as it is. */
export class RefusedDatabase extends Error {
  override name = 'RefusedDatabase';
}
