import type { SmtpSink, SmtpSinkOptions } from '../../../testing/src/smtp-sink/smtp-sink.js';
import type { Attempt, SmtpStage } from '../smtp/smtp-attempt.js';
import type { SmtpTimeouts } from '../smtp/smtp-transaction.js';
import type { SmtpEndpoint } from '../smtp/smtp-url.js';

/** One fault of a mail server, and the verdict that it leads to. */
export interface SmtpFaultCase {
  at: string;
  sink?: SmtpSinkOptions;
  expected: Partial<Omit<Attempt, 'reply'>> & { code?: number; enhanced?: string };
}

const long = { connectMs: 10_000, openingStepMs: 10_000, commandMs: 10_000, dotMs: 10_000 };
const armedBefore: Partial<Record<SmtpStage, number>> = { greeting: 0, ehlo: 1, tls: 2, auth: 2 };

/** Short only where the case expects a timeout: from there on a slow machine reads nothing that comes too late. */
export function timeoutsOf({ error, stage = 'connect' }: SmtpFaultCase['expected']): SmtpTimeouts {
  if (error !== 'timeout') return long;
  let armed = 0;
  return {
    ...long,
    get openingStepMs() {
      return armed++ < (armedBefore[stage] ?? Infinity) ? long.openingStepMs : 250;
    },
    // One time limit is that of all commands before the body.
    commandMs: { mail: 250, rcpt: 1_500, data: 1_500 }[stage as string] ?? long.commandMs,
    dotMs: 600,
  };
}

export function endpointOf(server: SmtpSink, endpoint: Partial<SmtpEndpoint> = {}): SmtpEndpoint {
  return { host: '127.0.0.1', port: server.port, tls: 'opportunistic', insecure: true, ...endpoint };
}

/** With the parts of the reply beside the rest, as a case expects them. */
export function flat({ reply, ...attempt }: Attempt): object {
  return { ...attempt, code: reply?.code, enhanced: reply?.enhanced };
}
