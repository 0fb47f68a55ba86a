import type { AddressInfo, Socket } from 'node:net';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { Metrics } from '@posthorn/telemetry';
import type { SMTPServer, SMTPServerOptions } from 'smtp-server';
import type { Readable } from 'node:stream';
import { SendingConfig } from '../config.js';
import { ConnectionLimits } from './connection-limits.js';
import { Dialogues } from './dialogues.js';
import { MailCertificate } from './mail-certificate.js';
import { MailReports } from './mail-reports.service.js';
import { ProxiedSmtpServer, type Client } from './proxied-smtp-server.js';
import { ProxyRanges } from './proxy-ranges.js';
import { mailReportsTaken } from './return-path.metrics.js';

type DataHandler = NonNullable<SMTPServerOptions['onData']>;

const maxBytes = 15 * 1024 * 1024;
const maxRecipients = 10;
const connections = { all: 50, perNetwork: 15, perBlock: 20, reserve: 15 };
const idleMs = 60_000;
const times = { betweenMs: 60_000, messageMs: 300_000, sessionMs: 600_000 };
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
  private readonly results;
  private readonly certificate: MailCertificate | null;
  rebindMs = 10_000;
  private rebinding: NodeJS.Timeout | null = null;
  private loggedCode: string | null = null;
  private closed = false;
  private readonly limits = new ConnectionLimits(connections);
  dialogues = new Dialogues(times);

  constructor(
    private readonly config: SendingConfig,
    private readonly reports: MailReports,
    metrics: Metrics,
  ) {
    const { mailTlsCert, mailTlsKey } = config;
    this.certificate = mailTlsCert && mailTlsKey ? new MailCertificate(mailTlsCert, mailTlsKey) : null;
    this.results = metrics.counter(mailReportsTaken);
    this.server = config.inboundPort === undefined ? null : this.build();
  }

  onApplicationBootstrap(): void {
    if (!this.server) return;
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

  private begin(socket: Socket, client: Client): boolean {
    this.certificate?.renew((certificate) => this.server!.updateSecureContext(certificate));
    const leave = this.limits.take(client.remoteAddress ?? '');
    if (leave) {
      socket.once('close', leave);
      this.dialogues.begin(socket, client);
    } else {
      socket.on('error', () => undefined);
      socket.end('421 4.7.0 Too many connections of your network\r\n', () => socket.destroy());
    }
    return leave !== null;
  }

  private build(): SMTPServer {
    const { mailHost, inboundProxies } = this.config;
    const tls = this.certificate?.read();
    const options: SMTPServerOptions = {
      name: mailHost ?? 'localhost',
      banner: 'Posthorn takes reports about its mail',
      size: maxBytes,
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
    };
    return new ProxiedSmtpServer(options, new ProxyRanges(inboundProxies), (socket, client) =>
      this.begin(socket, client),
    );
  }

  private async take(...[stream, session, callback]: Parameters<DataHandler>): Promise<void> {
    this.dialogues.messageBegins(session);
    const error = await this.taken(stream, session);
    this.dialogues.messageIsTaken(session);
    callback(error, '2.6.0 Taken');
  }

  private async taken(
    stream: Parameters<DataHandler>[0],
    session: Parameters<DataHandler>[1],
  ): Promise<Error | null> {
    try {
      const { raw, hasBareLineEnd, isChopped } = await readMail(stream);
      if (isChopped) return this.endChopped(session);
      if (stream.sizeExceeded) return refusal(552, '5.3.4 The message is larger than 15 MiB');
      if (hasBareLineEnd) return refusal(554, '5.6.0 Lines must end with CR LF');
      const { mailFrom, rcptTo } = session.envelope;
      const recipients = rcptTo.map(({ address }) => address);
      const sender = mailFrom ? mailFrom.address : '';
      const recorded = await this.reports.take({ sender, recipients }, raw);
      this.results.inc({ result: recorded > 0 ? 'recorded' : 'ignored' });
      return null;
    } catch (error) {
      const isUnreadable = error instanceof DomainError && error.kind === 'invalid';
      this.log.warn(
        `a report ${isUnreadable ? 'is refused' : 'waits at its server'}: ${(error as Error).message}`,
      );
      this.results.inc({ result: isUnreadable ? 'refused' : 'deferred' });
      return isUnreadable
        ? refusal(554, '5.6.0 The message cannot be read')
        : refusal(451, '4.3.0 Try again later');
    }
  }

  /** The parser would go on with its pieces whatever we answer. */
  private endChopped(session: Parameters<DataHandler>[1]): Error {
    this.dialogues.end(session);
    this.results.inc({ result: 'refused' });
    return refusal(554, '5.6.0 The message comes in too many pieces');
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

/** Reports come first in their mail, followed by the message that they are about, which is not needed. */
const keptBytes = 1024 * 1024;
/** Each line that begins with a dot begins a piece, whose handling takes longer than its bytes. */
const freePieces = 5_000;
const usualPieceBytes = 1_024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

interface ReceivedMail {
  raw: Buffer;
  bytes: number;
  /** A line end of one character: what other servers may take for the end of the message (docs/guarantees.md §6). */
  hasBareLineEnd: boolean;
  /** It came in more pieces than any network makes of it, and was not read to its end. */
  isChopped: boolean;
}

/** Reads a mail to its end and keeps its beginning, so that memory is bounded whatever the sender announces. */
async function readMail(stream: Readable): Promise<ReceivedMail> {
  const kept: Buffer[] = [];
  let bytes = 0;
  let pieces = 0;
  let last = 0;
  let hasBareLineEnd = false;
  let isChopped = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (bytes < keptBytes) kept.push(chunk.subarray(0, keptBytes - bytes));
    bytes += chunk.length;
    hasBareLineEnd ||= hasBare(chunk, last);
    last = chunk[chunk.length - 1] ?? last;
    pieces += 1;
    isChopped = pieces > freePieces + bytes / usualPieceBytes;
    if (isChopped) break;
  }
  hasBareLineEnd ||= last === carriageReturn;
  return { raw: Buffer.concat(kept), bytes, hasBareLineEnd, isChopped };
}

function hasBare(chunk: Buffer, before: number): boolean {
  let last = before;
  // Its iterator would take ten times as long, and all connections share the event loop.
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at]!;
    if ((byte === lineFeed) !== (last === carriageReturn)) return true;
    last = byte;
  }
  return false;
}
