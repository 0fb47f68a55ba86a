import {
  domainOf,
  type ValidatedEmail,
  type ValidationChecks,
  type ValidationReason,
  type ValidationVerdict,
} from '@posthorn/contracts';
import { isDisposable, isFree, isRole, suggestedDomain } from './address-traits.js';
import type { MailHost } from './mail-hosts.js';

const unchecked = { mx: null, role: null, disposable: null, free: null, suppressed: null };

export const malformed = (email: string): ValidatedEmail => ({
  email,
  verdict: 'INVALID',
  reason: 'syntax',
  checks: { syntax: false, ...unchecked },
  suggestion: null,
});

/** Of an address in its normal form. */
export function judge(email: string, host: MailHost, suppressed: boolean): ValidatedEmail {
  const domain = domainOf(email);
  const local = email.slice(0, -domain.length - 1);
  const meant = suggestedDomain(domain);
  const checks: ValidationChecks = {
    syntax: true,
    mx: host === 'no_answer' ? null : host === 'found',
    role: isRole(local),
    disposable: isDisposable(domain),
    free: isFree(domain),
    suppressed,
  };
  const suggestion = meant === null ? null : `${local}@${meant}`;
  return { email, ...verdictOf(host, checks, suggestion), checks, suggestion };
}

/** The first that applies decides. */
function verdictOf(
  host: MailHost,
  { suppressed, disposable, role }: ValidationChecks,
  suggestion: string | null,
): { verdict: ValidationVerdict; reason: ValidationReason | null } {
  if (host === 'null_mx') return { verdict: 'INVALID', reason: 'null_mx' };
  if (host === 'none') return { verdict: 'INVALID', reason: 'no_mail_host' };
  if (host === 'no_answer') return { verdict: 'UNKNOWN', reason: 'no_answer' };
  if (suppressed) return { verdict: 'RISKY', reason: 'suppressed' };
  // Many a name close to a large one belongs to somebody who collects its mail.
  if (suggestion !== null) return { verdict: 'RISKY', reason: 'typo' };
  if (disposable) return { verdict: 'RISKY', reason: 'disposable' };
  return role ? { verdict: 'RISKY', reason: 'role' } : { verdict: 'VALID', reason: null };
}
