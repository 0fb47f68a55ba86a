import { Injectable } from '@nestjs/common';
import { SmtpPool, parseSmtpUrl, type Attempt, type SmtpDelivery, type SmtpPoolState } from '@posthorn/mail';
import { Metrics, Spanned, Tracing } from '@posthorn/telemetry';
import { SendingConfig } from '../../config.js';
import { SlowDowns } from '../../pacing/slow-downs.js';
import { Simulator, type ToSimulate } from '../../simulator/simulator.js';
import { handOffDuration, handOffs } from './hand-off.metrics.js';
import { HandOffSignals } from './hand-off-signals.js';

type MessageDelivery = SmtpDelivery & { message: HandedMessage };
type HandedMessage = ToSimulate & { trace: string | null };

/** It is greeted by the name of the host that takes what comes back, unless the URL names another: an address says little there. */
export function endpointOf({ smtpUrl, mailHost }: Pick<SendingConfig, 'smtpUrl' | 'mailHost'>) {
  const endpoint = parseSmtpUrl(smtpUrl);
  const name = endpoint.name ?? mailHost;
  return name === undefined ? endpoint : { ...endpoint, name };
}

@Injectable()
export class Provider {
  private readonly pool: SmtpPool;
  private readonly handOffs;
  private readonly duration;

  constructor(
    private readonly config: SendingConfig,
    private readonly simulator: Simulator,
    private readonly slowDowns: SlowDowns,
    private readonly signals: HandOffSignals,
    readonly tracing: Tracing,
    metrics: Metrics,
  ) {
    const { connections, commandTimeout, dotTimeout } = config;
    this.handOffs = metrics.counter(handOffs);
    this.duration = metrics.histogram(handOffDuration);
    const timeouts = { commandMs: commandTimeout * 1_000, dotMs: dotTimeout * 1_000 };
    this.pool = new SmtpPool({ endpoint: endpointOf(config), maxConnections: connections, timeouts });
  }

  get state(): SmtpPoolState {
    return this.pool.state;
  }

  get pauseMs(): number {
    const { paused, pauseMs } = this.pool.state;
    return paused ? pauseMs : 0;
  }

  /** The last connection failed: a single message tests whether the server is back. */
  get allowsOneConnection(): boolean {
    const { failures, open } = this.pool.state;
    return failures > 0 && open === 0;
  }

  simulatorRefusalOf(message: HandedMessage): string | null {
    return this.simulator.isFor(message.recipient) ? this.simulator.refusalOf(message) : null;
  }

  /** Whether acceptance counts as delivery, because no report of it is expected. Later bounces still count. */
  acceptIsDelivery({ recipient }: HandedMessage): boolean {
    const { acceptIsDelivery, providerKind } = this.config;
    return !this.simulator.isFor(recipient) && (acceptIsDelivery || providerKind === 'capture');
  }

  @Spanned('hand over', {
    kind: 'client',
    traces: ({ message }: MessageDelivery) => [message.trace],
    resultAttributes: ({ verdict, stage, tls }: Attempt) => ({
      'posthorn.verdict': verdict,
      'posthorn.smtp.stage': stage,
      'posthorn.smtp.tls': tls,
    }),
  })
  async deliver({ message, ...delivery }: MessageDelivery): Promise<Attempt> {
    const began = performance.now();
    const attempt = this.simulator.isFor(message.recipient)
      ? await this.simulator.deliver(message)
      : await this.pool.deliver(delivery);
    this.count(attempt, (performance.now() - began) / 1_000);
    void this.slowDowns.observe(message.recipient, attempt);
    return attempt;
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private count({ verdict, stage }: Attempt, seconds: number): void {
    this.handOffs.inc({ verdict, stage });
    this.signals.countHandOff();
    this.duration.observe({ verdict }, seconds);
  }
}
