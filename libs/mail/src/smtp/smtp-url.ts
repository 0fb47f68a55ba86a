import { isIP } from 'node:net';

export type TlsPolicy = 'implicit' | 'required' | 'opportunistic' | 'none';

export interface SmtpEndpoint {
  host: string;
  port: number;
  tls: TlsPolicy;
  insecure: boolean;
  auth?: { user: string; pass: string };
  name?: string;
}

export class SmtpUrlError extends Error {
  constructor(reason: string) {
    super(`SMTP_URL ${reason}`);
    this.name = 'SmtpUrlError';
  }
}

const parameters = new Set(['starttls', 'insecure', 'name']);
const startTls: Record<string, TlsPolicy> = {
  required: 'required',
  opportunistic: 'opportunistic',
  off: 'none',
};

/** `smtp://user:pass@host:587?starttls=required`, `smtps://host`. Errors never contain the password. */
export function parseSmtpUrl(text: string): SmtpEndpoint {
  if (!URL.canParse(text))
    throw new SmtpUrlError(
      'is not a URL; it looks like smtp://user:password@host:587 (percent-encode @ : / in the password)',
    );
  const url = new URL(text);
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')
    throw new SmtpUrlError('must begin with smtp:// or smtps://');
  if (url.hostname === '') throw new SmtpUrlError('names no host');
  if (url.pathname !== '' && url.pathname !== '/') throw new SmtpUrlError('must not have a path');
  for (const name of url.searchParams.keys()) {
    if (!parameters.has(name))
      throw new SmtpUrlError(
        `has an unknown parameter ${JSON.stringify(name)}; known are ${[...parameters].join(', ')}`,
      );
  }
  const implicit = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: parsePort(url.port, implicit, url.username !== ''),
    tls: parseTls(url, implicit),
    insecure: parseSwitch(url.searchParams.get('insecure')),
    ...parseAuth(url),
    ...parseName(url.searchParams.get('name')),
  };
}

function parsePort(port: string, implicit: boolean, submission: boolean): number {
  if (port === '0') throw new SmtpUrlError('has port 0');
  if (port !== '') return Number(port);
  if (implicit) return 465;
  return submission ? 587 : 25;
}

/** Passwords are not sent without TLS to another machine unless the URL allows it. */
function parseTls(url: URL, implicit: boolean): TlsPolicy {
  const requested = url.searchParams.get('starttls');
  if (implicit && requested !== null) throw new SmtpUrlError('cannot combine smtps:// with starttls');
  if (implicit) return 'implicit';
  if (requested === null)
    return url.username !== '' && !isLoopback(url.hostname) ? 'required' : 'opportunistic';
  const policy = startTls[requested];
  if (policy === undefined)
    throw new SmtpUrlError('has a starttls that is none of required, opportunistic, off');
  return policy;
}

function parseSwitch(value: string | null): boolean {
  if (value === null || value === '0' || value === 'false') return false;
  if (value === '1' || value === 'true' || value === '') return true;
  throw new SmtpUrlError('has an insecure that is neither 1 nor 0');
}

function parseAuth(url: URL): Pick<SmtpEndpoint, 'auth'> {
  if (url.username === '' && url.password === '') return {};
  if (url.username === '' || url.password === '')
    throw new SmtpUrlError('needs both a user and a password, or neither');
  return { auth: { user: decode(url.username), pass: decode(url.password) } };
}

function parseName(name: string | null): Pick<SmtpEndpoint, 'name'> {
  if (name === null) return {};
  if (!/^[A-Za-z0-9.:[\]-]+$/.test(name)) throw new SmtpUrlError('has a name that is no host name');
  return { name };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new SmtpUrlError('has a user or password with a broken percent-encoding');
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}
