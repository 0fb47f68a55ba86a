import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from '@posthorn/telemetry';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SendingConfig } from '../config.js';
import { MailReports } from './mail-reports.service.js';
import { mailReportsTaken } from './return-path.metrics.js';
import { readMail } from './report-stream.js';

type DataHandler = NonNullable<SMTPServerOptions['onData']>;

const maxBytes = 15 * 1024 * 1024;
const maxRecipients = 10;
const maxConnections = 50;
const maxPerAddress = 20;
const idleMs = 60_000;
/** Of a whole session, however slowly it goes on. */
const sessionMs = 600_000;
const refusedPort = {
  EACCES: 'needs more rights',
  EADDRINUSE: 'belongs to another process, which takes the reports',
};
const hostName =
  /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+(?:%\w+)?\]|\[ipv6:[0-9a-f:.]+\])$/i;

/** It takes mail to return paths and complaints only, and says 250 once what it reports is on disk. */
@Injectable()
export class ReturnPathServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('ReturnPath');
  private readonly server: SMTPServer | null;
  private readonly taken;
  rebindMs = 10_000;
  private rebinding: NodeJS.Timeout | null = null;
  private loggedCode: string | null = null;
  private closed = false;
  private readonly open = new Map<string, number>();

  constructor(
    private readonly config: SendingConfig,
    private readonly reports: MailReports,
    metrics: Metrics,
  ) {
    this.taken = metrics.counter(mailReportsTaken);
    this.server = config.inboundPort === undefined ? null : this.build();
  }

  onApplicationBootstrap(): void {
    if (!this.server) return;
    this.server.server.on('connection', (socket: Socket) => this.limit(socket));
    this.server.server.on('listening', () => this.bound());
    this.server.on('error', (error: NodeJS.ErrnoException) => this.failed(error));
    this.bind();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    if (this.rebinding) clearTimeout(this.rebinding);
    const { server } = this;
    if (server?.server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Null while another process has the port. */
  get port(): number | null {
    return (this.server?.server.address() as AddressInfo | null)?.port ?? null;
  }

  /** One address holds few connections, and none of them for long. */
  private limit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const open = (this.open.get(address) ?? 0) + 1;
    if (open > maxPerAddress) return void socket.destroy();
    this.open.set(address, open);
    const deadline = setTimeout(() => socket.destroy(), sessionMs).unref();
    socket.once('close', () => {
      clearTimeout(deadline);
      const left = this.open.get(address)! - 1;
      if (left > 0) this.open.set(address, left);
      else this.open.delete(address);
    });
  }

  private build(): SMTPServer {
    const { mailTlsCert, mailTlsKey, mailHost } = this.config;
    const tls =
      mailTlsCert && mailTlsKey ? { cert: readFileSync(mailTlsCert), key: readFileSync(mailTlsKey) } : null;
    return new SMTPServer({
      name: mailHost ?? 'localhost',
      banner: 'Posthorn takes reports about its mail',
      size: maxBytes,
      maxClients: maxConnections,
      socketTimeout: idleMs,
      closeTimeout: 1_000,
      authOptional: true,
      disabledCommands: tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
      ...(tls ?? {}),
      disableReverseLookup: true,
      onMailFrom: (_address, { hostNameAppearsAs }, callback) =>
        callback(
          hostName.test(String(hostNameAppearsAs))
            ? null
            : refusal(550, '5.5.2 The greeting has no host name'),
        ),
      onRcptTo: ({ address }, { envelope }, callback) => {
        if (envelope.rcptTo.length >= maxRecipients)
          return callback(refusal(452, '4.5.3 Too many recipients'));
        callback(
          this.reports.accepts(address) ? null : refusal(550, '5.1.1 No such address; no mail is relayed'),
        );
      },
      onData: (stream, session, callback) => void this.take(stream, session, callback),
    });
  }

  private async take(...[stream, { envelope }, callback]: Parameters<DataHandler>): Promise<void> {
    try {
      const { raw, hasBareLineEnd } = await readMail(stream);
      if (stream.sizeExceeded) return callback(refusal(552, '5.3.4 The message is larger than 15 MiB'));
      if (hasBareLineEnd) return callback(refusal(554, '5.6.0 Lines must end with CR LF'));
      const recorded = await this.reports.take(
        envelope.rcptTo.map(({ address }) => address),
        raw,
      );
      this.taken.inc({ result: recorded > 0 ? 'recorded' : 'ignored' });
      callback(null, '2.6.0 Taken');
    } catch (error) {
      this.log.warn(`a report waits at its server: ${(error as Error).message}`);
      this.taken.inc({ result: 'deferred' });
      callback(refusal(451, '4.3.0 Try again later'));
    }
  }

  private bind(): void {
    const { inboundPort, inboundHost } = this.config;
    this.server!.listen(inboundPort, inboundHost);
  }

  private bound(): void {
    this.loggedCode = null;
    this.log.log(`takes bounces and complaints by SMTP on ${this.config.inboundHost}:${this.port}`);
  }

  /** A client that drops its connection is no fault of ours; a port may be that of another process, which then takes the reports. */
  private failed({ code }: NodeJS.ErrnoException): void {
    if (code !== 'EADDRINUSE' && code !== 'EACCES') return;
    if (this.closed || this.rebinding) return;
    if (code !== this.loggedCode) this.log.warn(`port ${this.config.inboundPort} ${refusedPort[code]}`);
    this.loggedCode = code;
    this.rebinding = setTimeout(() => this.rebind(), this.rebindMs);
  }

  private rebind(): void {
    this.rebinding = null;
    if (!this.closed) this.bind();
  }
}

const refusal = (responseCode: number, text: string): Error =>
  Object.assign(new Error(text), { responseCode });
