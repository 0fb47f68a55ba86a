import type { FailureKind, ProviderEventKind, ProviderSource, SuppressionReason } from '@posthorn/contracts';

export const suppressionTexts: Readonly<Record<SuppressionReason, string>> = {
  HARD_BOUNCE: 'mail to it bounced for good',
  COMPLAINT: 'its reader reported mail as spam',
  MANUAL: 'somebody added it to the suppression list',
  UNSUBSCRIBE: 'its reader does not want any mail',
};

/** What happened, and what to do about it; followed by what was recorded. */
export const failureTexts: Readonly<Record<FailureKind, string>> = {
  suppressed:
    'It was not sent, because the address is suppressed. Remove the suppression if its owner wants mail again.',
  unsubscribed:
    'It was not sent, because the recipient has unsubscribed and this is marketing mail. Transactional mail would be sent.',
  invalid_recipient: 'It was not sent, because there is no such recipient.',
  rendering:
    'It was not sent, because its template could not be rendered. Correct the template or its data and send again.',
  domain_unverified:
    'It was not sent, because the domain of the sender is no longer verified. Check the DNS records of the domain and verify it again.',
  quota_exhausted:
    'It was not sent, because the allowance of the project is used up. Ask the operator for a higher limit, or let such mail wait.',
  provider_paused: 'It waits, because the mail server cannot be reached.',
  provider_rejected: 'The mail server or provider refused to take the message.',
  provider_unavailable:
    'It was given up, because the mail server refused it for now in all attempts of a day.',
  hard_bounce: 'It bounced: the server of the recipient refused it for good.',
  frequency_cap:
    'It was not sent, because the recipient has had as much marketing mail as the project allows in these days.',
  expired: 'It was given up, because it could not be delivered in time.',
  cancelled: 'It was cancelled before it was handed to the mail server.',
  project_disabled: 'It was not sent, because the project is disabled. Ask the operator to enable it.',
  delivery_unconfirmed:
    'Nobody knows whether it arrived: the connection to the mail server was lost after the message, and no report came. It was not sent again, to avoid a duplicate.',
};

export const waitsForNextPeriodText =
  'It waits for the next day or month, because what may be sent until then is used up.';

export const eventTitles: Readonly<Record<ProviderEventKind, string>> = {
  SENT: 'The provider took the message',
  DELAYED: 'The provider could not deliver it yet and continues to try',
  SOFT_BOUNCED: 'The provider gave it up; the address may work later',
  DELIVERED: 'The server of the recipient took the message',
  REJECTED: 'The provider refused to send the message on',
  BOUNCED: 'The server of the recipient refused the message for good',
  COMPLAINED: 'The recipient reported it as spam',
  OPENED: 'It was opened',
  CLICKED: 'A link was followed',
};

export const sourceNames: Readonly<Record<ProviderSource, string>> = {
  simulator: 'simulator',
  ses: 'Amazon SES',
  postmark: 'Postmark',
  sendgrid: 'SendGrid',
  mailgun: 'Mailgun',
  brevo: 'Brevo',
  dsn: 'bounce mail',
  arf: 'feedback loop',
};

const credentialNames: Readonly<Record<string, string>> = {
  KEY: 'an API key',
  USER: 'a signed-in user',
  TOKEN: 'an application',
  OPERATOR: 'the operator',
  SERVICE: 'Posthorn itself',
};

export function credentialText(acceptedBy: string | null): string | null {
  if (!acceptedBy) return null;
  const [kind = '', id = ''] = acceptedBy.split(' ');
  return `by ${credentialNames[kind] ?? kind.toLowerCase()} (${id})`;
}

export const instantText = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
