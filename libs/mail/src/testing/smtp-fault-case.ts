import type { SmtpSink, SmtpSinkOptions } from '../../../testing/src/smtp-sink/smtp-sink.js';
import type { Attempt } from '../smtp/smtp-attempt.js';
import type { SmtpEndpoint } from '../smtp/smtp-url.js';

/** One fault of a mail server, and the verdict that it leads to. */
export interface SmtpFaultCase {
  at: string;
  sink?: SmtpSinkOptions;
  expected: Partial<Omit<Attempt, 'reply'>> & { code?: number; enhanced?: string };
}

export const timeouts = { connectMs: 250, greetingMs: 250, commandMs: 250, dotMs: 250 };

export function endpointOf(server: SmtpSink, endpoint: Partial<SmtpEndpoint> = {}): SmtpEndpoint {
  return { host: '127.0.0.1', port: server.port, tls: 'opportunistic', insecure: true, ...endpoint };
}

/** With the parts of the reply beside the rest, as a case expects them. */
export function flat({ reply, ...attempt }: Attempt): object {
  return { ...attempt, code: reply?.code, enhanced: reply?.enhanced };
}
