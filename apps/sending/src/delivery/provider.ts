import { Injectable } from '@nestjs/common';
import { SmtpPool, parseSmtpUrl, type Attempt, type SmtpDelivery } from '@posthorn/mail';
import { SendingConfig } from '../config.js';

/** The mail server that takes the mail: a pool of our own over one endpoint. */
@Injectable()
export class Provider {
  private readonly pool: SmtpPool;

  constructor({ smtpUrl, connections, commandTimeout, dotTimeout }: SendingConfig) {
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

  deliver(delivery: SmtpDelivery): Promise<Attempt> {
    return this.pool.deliver(delivery);
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
