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
