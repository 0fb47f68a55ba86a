import { Env, ServiceConfig } from '@posthorn/platform';
import type { WarmUp } from './warm-up-sql.js';

export class PaceConfig extends ServiceConfig {
  @Env('SENDING_RATE_PER_SECOND', {
    kind: 'number',
    default: '14',
    max: 100_000,
    describe: 'messages per second to the provider, across all replicas; 0 for no limit',
  })
  ratePerSecond: number;

  @Env('WARM_UP_MESSAGES', {
    kind: 'number',
    default: '0',
    max: 1_000_000,
    describe:
      'messages that a new sending domain may send on its first day; above it bulk mail waits for the next day. 0 for no warm-up',
  })
  warmUpMessages: number;

  @Env('WARM_UP_GROWTH', {
    kind: 'number',
    default: '50',
    max: 1_000,
    describe: 'percent that each following day adds to the messages of a new domain',
  })
  warmUpGrowth: number;

  @Env('WARM_UP_DAYS', {
    kind: 'number',
    default: '21',
    min: 1,
    max: 90,
    describe: 'days after which a sending domain is no longer new',
  })
  warmUpDays: number;

  get warmUp(): WarmUp | null {
    const { warmUpMessages: messages, warmUpGrowth: growth, warmUpDays: days } = this;
    return messages > 0 ? { messages, growth, days } : null;
  }

  @Env('SMTP_COMMAND_TIMEOUT', {
    kind: 'number',
    default: '300',
    min: 1,
    describe:
      'seconds to wait for the replies to MAIL, RCPT and DATA together, and for each piece of the body to leave',
  })
  commandTimeout: number;

  @Env('SMTP_DOT_TIMEOUT', {
    kind: 'number',
    default: '600',
    min: 1,
    describe: 'seconds to wait for the reply to a complete message; a short timeout causes duplicates',
  })
  dotTimeout: number;

  @Env('RETRY_SECONDS', {
    kind: 'number',
    default: '30',
    min: 1,
    max: 3_600,
    describe:
      'first wait of a message that the mail server refused for now; doubles with each attempt, to 4 hours at most',
  })
  retrySeconds: number;
}
