import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket as Stream } from 'node:net';
import * as packet from 'dns-packet';

export type DnsType = 'TXT' | 'CNAME' | 'MX' | 'A';

/** A response that replaces the records of a name. */
export type DnsBehaviour =
  | 'lame'
  /** Responds with SERVFAIL. */
  | 'servfail'
  /** Over UDP the response is truncated; over TCP it is complete. */
  | 'truncated'
  /** Responds with the id of another query, like a spoofed response. */
  | 'spoofed'
  /** Delays the response by this many milliseconds. */
  | { slow: number }
  /** Leads to this address as soon as it was asked for an address once. */
  | { then: string };

interface Query {
  name: string;
  type: DnsType;
  way: 'udp' | 'tcp';
}

/** A DNS server for tests: its records can be changed at any time, and it can misbehave. */
export class DnsServer {
  /** Queries received, in order. */
  readonly queries: Query[] = [];
  private readonly records = new Map<string, string[][]>();
  private readonly behaviours = new Map<string, DnsBehaviour>();
  private readonly timers = new Set<NodeJS.Timeout>();

  private constructor(
    private readonly udp: Socket,
    private readonly tcp: Server,
    readonly address: string,
  ) {
    udp.on('message', (message, from) => this.serve(message, 'udp', (answer) => this.reply(answer, from)));
    tcp.on('connection', (stream) => this.listen(stream));
  }

  static async start(): Promise<DnsServer> {
    const tcp = createServer().listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket('udp4').bind(port, '127.0.0.1');
    await once(udp, 'listening');
    return new DnsServer(udp, tcp, `127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearTimeout(timer);
    this.udp.close();
    this.tcp.close();
    await Promise.all([once(this.udp, 'close'), once(this.tcp, 'close')]);
  }

  /** Replaces the records of a name; no values: the name does not exist. A TXT value may consist of several strings. */
  set(type: DnsType, name: string, ...values: (string | string[])[]): void {
    const strings = values.map((value) => (typeof value === 'string' ? [value] : value));
    if (strings.length === 0) this.records.delete(locationOf(type, name));
    else this.records.set(locationOf(type, name), strings);
  }

  /** The records as an owner would add them. */
  paste(records: readonly { type: DnsType; name: string; value: string }[]): void {
    for (const { type, name, value } of records) this.set(type, name, value);
  }

  clear(): void {
    this.records.clear();
    this.behaviours.clear();
  }

  behave(name: string, behaviour: DnsBehaviour | null): void {
    if (behaviour === null) this.behaviours.delete(name.toLowerCase());
    else this.behaviours.set(name.toLowerCase(), behaviour);
  }

  private serve(message: Buffer, way: Query['way'], reply: (answer: Buffer) => void): void {
    const { id = 0, questions = [] } = packet.decode(message);
    const [query] = questions;
    if (!query) return;
    const type = query.type as DnsType;
    this.queries.push({ name: query.name, type, way });
    const behaviour = this.behaviours.get(query.name.toLowerCase());
    const send = (changes: packet.Packet = {}) =>
      reply(
        packet.encode({
          type: 'response',
          id,
          flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE,
          questions,
          ...changes,
        }),
      );
    const answers = this.answersTo(query.name, type);
    const honest = () => send({ answers, ...(answers.length === 0 ? { flags: nameError } : {}) });
    if (behaviour === 'lame') return;
    if (behaviour === 'servfail') send({ flags: serverFailure });
    else if (behaviour === 'spoofed') send({ answers, id: (id + 1) % 65_536 });
    else if (behaviour === 'truncated' && way === 'udp')
      send({ flags: packet.TRUNCATED_RESPONSE | packet.RECURSION_AVAILABLE });
    else if (typeof behaviour === 'object' && 'slow' in behaviour) this.later(behaviour.slow, honest);
    else honest();
    if (typeof behaviour === 'object' && 'then' in behaviour && type === 'A')
      this.set('A', query.name, behaviour.then);
  }

  /** Like a resolver: returns the alias and its target. Cyclic aliases end with SERVFAIL, as in real resolvers. */
  private answersTo(name: string, type: DnsType, hops = 8): packet.Answer[] {
    const own = this.records.get(locationOf(type, name));
    if (own) return own.map((strings) => answerOf(name, type, strings));
    const [alias] = this.records.get(locationOf('CNAME', name)) ?? [];
    return alias && hops > 0
      ? [answerOf(name, 'CNAME', alias), ...this.answersTo(alias[0]!, type, hops - 1)]
      : [];
  }

  private later(milliseconds: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, milliseconds);
    this.timers.add(timer);
  }

  private reply(answer: Buffer, { port, address }: RemoteInfo): void {
    this.udp.send(answer, port, address, () => undefined);
  }

  /** Each message is preceded by its length (RFC 1035 §4.2.2). */
  private listen(stream: Stream): void {
    let waiting: Buffer = Buffer.alloc(0);
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      waiting = Buffer.concat([waiting, chunk]);
      while (waiting.length >= 2 && waiting.length >= 2 + waiting.readUInt16BE()) {
        const message = waiting.subarray(2, 2 + waiting.readUInt16BE());
        waiting = waiting.subarray(2 + message.length);
        this.serve(message, 'tcp', (answer) => stream.write(withLength(answer)));
      }
    });
  }
}

const nameError = packet.RECURSION_AVAILABLE | 3;
const serverFailure = packet.RECURSION_AVAILABLE | 2;

const locationOf = (type: DnsType, name: string): string =>
  `${type} ${name.toLowerCase().replace(/\.$/, '')}`;

function answerOf(name: string, type: DnsType, strings: string[]): packet.Answer {
  const [value = ''] = strings;
  if (type === 'TXT') return { type, name, ttl: 1, data: strings.flatMap(inStrings) };
  if (type === 'MX') {
    const [preference = '10', exchange = ''] = value.split(' ');
    return { type, name, ttl: 1, data: { preference: Number(preference), exchange } };
  }
  return { type, name, ttl: 1, data: value };
}

/** One string of a TXT record holds at most 255 octets. */
const inStrings = (text: string): string[] => text.match(/.{1,255}/gs) ?? [''];

function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}
