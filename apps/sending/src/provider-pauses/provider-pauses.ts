import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { smtpPauseChannel, type Attempt, type SmtpPause } from '@posthorn/mail';

/** Logs when the mail server is paused, which the API shows as `provider_paused`, and when mail flows again. */
@Injectable()
export class ProviderPauses implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Provider');
  private readonly since = new Map<string, number>();
  private readonly listener = (pause: unknown) => this.write(pause as SmtpPause);

  onApplicationBootstrap(): void {
    smtpPauseChannel.subscribe(this.listener);
  }

  onApplicationShutdown(): void {
    smtpPauseChannel.unsubscribe(this.listener);
  }

  private write({ server, failure }: SmtpPause): void {
    if (failure) {
      this.since.set(server, performance.now());
      this.log.warn(`the mail server ${server} is paused, and mail waits: ${reasonOf(failure)}`);
    } else {
      const seconds = Math.ceil((performance.now() - (this.since.get(server) ?? 0)) / 1_000);
      this.log.log(`the mail server ${server} takes mail again after ${seconds} s`);
    }
  }
}

function reasonOf({ stage, reply, error }: Attempt): string {
  const text = reply ? [reply.code, reply.enhanced, reply.text].filter(Boolean).join(' ') : error;
  return `${stage}: ${text ?? 'no reply'}`;
}
