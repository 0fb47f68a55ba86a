/** Stored before the reply. */
export interface SinkMessage {
  messageId: string;
  from: string;
  to: string;
  /** Parameters after the address in MAIL FROM. */
  mailParameters: string;
  tls: boolean;
  receivedAt: number;
  /** With `keep: 'all'`: the message without dot-stuffing and final dot. */
  raw?: Buffer;
  /** Violations of G21 on the wire. */
  faults: WireFault[];
}

export type WireFault = 'bare LF' | 'bare CR' | 'NUL' | 'long line' | `${number}× ${string}`;

const onceOnly = ['from', 'date', 'message-id', 'mime-version'];
const maxLine = 998;

export function messageIdOf(raw: Buffer): string {
  const headers = headerBlock(raw);
  return /(?:^|\r\n)message-id:\s*<?([^>\s]+)/i.exec(headers)?.[1] ?? '';
}

export function wireFaults(raw: Buffer): WireFault[] {
  const faults = new Set<WireFault>();
  let start = 0;
  for (let i = 0; i < raw.length; i++) {
    const octet = raw[i];
    if (octet === 0) faults.add('NUL');
    if (octet === 0x0a && raw[i - 1] !== 0x0d) faults.add('bare LF');
    if (octet === 0x0d && raw[i + 1] !== 0x0a) faults.add('bare CR');
    if (octet === 0x0a) start = i + 1;
    else if (octet !== 0x0d && i - start >= maxLine) faults.add('long line');
  }
  const names = headerBlock(raw)
    .split('\r\n')
    .map((line) => /^([^\s:]+):/.exec(line)?.[1].toLowerCase());
  for (const name of onceOnly) {
    const count = names.filter((each) => each === name).length;
    if (count !== 1) faults.add(`${count}× ${name}`);
  }
  return [...faults];
}

export function unstuff(wire: Buffer): Buffer {
  if (!(wire[0] === 0x2e || wire.includes('\r\n.'))) return Buffer.from(wire);
  return Buffer.from(wire.toString('latin1').replace(/(^|\r\n)\./g, '$1'), 'latin1');
}

function headerBlock(raw: Buffer): string {
  const end = raw.indexOf('\r\n\r\n');
  return raw.toString('latin1', 0, end < 0 ? raw.length : end + 2);
}
