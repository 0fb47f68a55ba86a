/** A value that cannot stand in a message or an envelope. It is refused, never repaired: a repaired header is somebody else's header. */
export class MailSyntaxError extends Error {
  constructor(
    readonly field: string,
    reason: string,
  ) {
    super(`${field}: ${reason}`);
    this.name = 'MailSyntaxError';
  }
}

const lineBreaker = /[\r\n\0]/;

export function refuseLineBreaks(field: string, value: string): void {
  if (lineBreaker.test(value)) throw new MailSyntaxError(field, 'must not contain CR, LF or NUL');
}
