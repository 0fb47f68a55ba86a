import { Injectable } from '@nestjs/common';
import { SmtpPool, parseSmtpUrl, type Attempt, type SmtpDelivery, type SmtpPoolState } from '@posthorn/mail';
import { Metrics, Spanned, Tracing } from '@posthorn/telemetry';
import { SendingConfig } from '../../config.js';
import { handOffDuration, handOffs } from './hand-off.metrics.js';

type TracedDelivery = SmtpDelivery & { trace: string | null };

@Injectable()
export class Provider {
  private readonly pool: SmtpPool;
  private readonly handOffs;
  private readonly duration;

  constructor(
    { smtpUrl, connections, commandTimeout, dotTimeout }: SendingConfig,
    readonly tracing: Tracing,
    metrics: Metrics,
  ) {
    this.handOffs = metrics.counter(handOffs);
    this.duration = metrics.histogram(handOffDuration);
    const timeouts = { commandMs: commandTimeout * 1_000, dotMs: dotTimeout * 1_000 };
    this.pool = new SmtpPool({ endpoint: parseSmtpUrl(smtpUrl), maxConnections: connections, timeouts });
  }

  get state(): SmtpPoolState {
    return this.pool.state;
  }

  get pauseMs(): number {
    const { paused, pauseMs } = this.pool.state;
    return paused ? pauseMs : 0;
  }

  /** The last connection failed: a single message tests whether the server is back. */
  get probing(): boolean {
    const { failures, open } = this.pool.state;
    return failures > 0 && open === 0;
  }

  @Spanned('hand over', {
    kind: 'client',
    traces: ({ trace }: TracedDelivery) => [trace],
    resultAttributes: ({ verdict, stage, tls }: Attempt) => ({
      'posthorn.verdict': verdict,
      'posthorn.smtp.stage': stage,
      'posthorn.smtp.tls': tls,
    }),
  })
  async deliver(delivery: TracedDelivery): Promise<Attempt> {
    const began = performance.now();
    const attempt = await this.pool.deliver(delivery);
    this.count(attempt, (performance.now() - began) / 1_000);
    return attempt;
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private count({ verdict, stage }: Attempt, seconds: number): void {
    this.handOffs.inc({ verdict, stage });
    this.duration.observe({ verdict }, seconds);
  }
}
