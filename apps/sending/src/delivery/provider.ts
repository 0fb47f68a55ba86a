import { Injectable } from '@nestjs/common';
import { SmtpPool, parseSmtpUrl, type Attempt, type SmtpDelivery } from '@posthorn/mail';
import { Spanned, Tracing } from '@posthorn/telemetry';
import { SendingConfig } from '../config.js';

/** A hand-over, and where it is recorded. */
export interface TracedDelivery extends SmtpDelivery {
  trace: string | null;
}

/** The mail server that takes the mail: a pool of our own over one endpoint. */
@Injectable()
export class Provider {
  private readonly pool: SmtpPool;

  constructor(
    { smtpUrl, connections, commandTimeout, dotTimeout }: SendingConfig,
    readonly tracing: Tracing,
  ) {
    const timeouts = { commandMs: commandTimeout * 1_000, dotMs: dotTimeout * 1_000 };
    this.pool = new SmtpPool({ endpoint: parseSmtpUrl(smtpUrl), maxConnections: connections, timeouts });
  }

  /** Milliseconds until the server may be tried again; 0 while it answers. */
  get pauseMs(): number {
    const { paused, pauseMs } = this.pool.state;
    return paused ? pauseMs : 0;
  }

  /** The last try failed: one message shall find out whether the server is back. */
  get doubtful(): boolean {
    const { failures, open } = this.pool.state;
    return failures > 0 && open === 0;
  }

  @Spanned('hand over', {
    kind: 'client',
    traces: ({ trace }: TracedDelivery) => [trace],
    told: ({ verdict, stage, tls }: Attempt) => ({ 'posthorn.verdict': verdict, 'posthorn.smtp.stage': stage, 'posthorn.smtp.tls': tls }),
  })
  deliver(delivery: TracedDelivery): Promise<Attempt> {
    return this.pool.deliver(delivery);
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
