import { controlHeadersRefused } from '@posthorn/contracts';

// Providers obey these: they add recipients, turn off suppression or choose another account. Suppression,
// allowance and TEST mode would not see it, because they decide about the recipients of the envelope.
const prefixes = [
  'x-smtpapi', // SendGrid, and providers that follow it
  'x-sendgrid-',
  'x-sg-',
  'x-msys-', // SparkPost
  'x-mc-', // Mandrill
  'x-mandrill-',
  'x-mailgun-',
  'x-ses-', // Amazon SES
  'x-pm-', // Postmark
  'x-postmark-',
  'x-mj-', // Mailjet
  'x-mailjet-',
  'x-sib-', // Brevo
  'x-brevo-',
  'x-mailin-',
  'x-elasticemail-',
  'x-smtp2go-',
  'x-mailersend-',
  'x-mt-', // Mailtrap
  'x-xsmailingid', // SocketLabs
  'x-xsmessageid',
  'x-resend-',
  'x-postal-',
  'x-ms-', // Exchange and Azure
  'x-greenarrow-',
  'x-virtualmta', // PowerMTA
  'x-virtual-mta',
];

export class ControlHeaders {
  private readonly allowed: ReadonlySet<string>;

  constructor(allowed: string) {
    this.allowed = new Set(namesIn(allowed).map((name) => name.toLowerCase()));
  }

  refuseIn(headers: Readonly<Record<string, string>> = {}): void {
    const refused = Object.keys(headers).filter((name) => this.isRefused(name.toLowerCase()));
    if (refused.length > 0) throw controlHeadersRefused(refused);
  }

  private isRefused(name: string): boolean {
    return !this.allowed.has(name) && prefixes.some((prefix) => name.startsWith(prefix));
  }
}

export function allowedHeadersProblem(text: string): string | undefined {
  const wrong = namesIn(text).find((name) => !/^x-[a-z0-9-]+$/i.test(name));
  return wrong && `must be names of headers that begin with X-, separated by commas, which ${wrong} is not`;
}

const namesIn = (text: string): string[] => text.split(',').flatMap((name) => name.trim() || []);
