import { bytesOf, SignedBytes, uuidAt, uuidBytes } from '../message/signed-bytes.js';

/** Whose message a token was made for: one recipient's, by position. */
export interface TokenTarget {
  projectId: string;
  emailId: string;
  /** 0 is `to`, then come cc and bcc. */
  position: number;
}

export interface ClickTarget extends TokenTarget {
  url: string;
}

/** Who may opt out with it, and by which message. */
export interface UnsubscribeTarget {
  projectId: string;
  emailId: string;
  /** Bare and normalised. */
  email: string;
}

/** Clients cut longer links, and no page lives at one. */
export const maxTrackedUrl = 2_048;

// The scheme that nearly every link has travels in the kind: eight bytes less in each of them.
const kinds = { open: 1, click: 2, clickHttps: 3, unsubscribe: 4 } as const;
type Kind = (typeof kinds)[keyof typeof kinds];

interface ReadToken {
  kind: Kind;
  index: { projectId: string; emailId: string };
  rest: Buffer;
}

const https = 'https://';
const macBytes = 10;
const maxPosition = 255;
const maxAddress = 254;
const head = 1 + 2 * uuidBytes;

/**
 * What tracked links, pixels and unsubscribe links bear. A token says all that it takes to answer it, so that a redirect needs
 * no database, and nobody can make one up. The first key of the ring signs, every key verifies.
 */
export class EngagementTokens {
  private readonly bytes: SignedBytes;

  constructor(secretKeys: readonly string[]) {
    this.bytes = new SignedBytes(secretKeys, {
      label: 'posthorn:engagement',
      macBytes,
      longest: head + 1 + maxTrackedUrl,
    });
  }

  forOpen(location: TokenTarget): string {
    return this.write(kinds.open, location, positionByte(location));
  }

  /** `url` is http or https, as `trackHtml` gives it. */
  forClick({ url, ...location }: ClickTarget): string {
    const secure = url.startsWith(https);
    const text = Buffer.from(secure ? url.slice(https.length) : url, 'utf8');
    return this.write(
      secure ? kinds.clickHttps : kinds.click,
      location,
      Buffer.concat([positionByte(location), text]),
    );
  }

  forUnsubscribe({ email, ...location }: UnsubscribeTarget): string {
    return this.write(kinds.unsubscribe, location, Buffer.from(email, 'utf8'));
  }

  /** Null for whatever is not exactly a token of ours, whatever is wrong with it. */
  readOpen(token: string): TokenTarget | null {
    const read = this.read(token, [kinds.open]);
    return read?.rest.length === 1 ? { ...read.index, position: read.rest[0]! } : null;
  }

  readClick(token: string): ClickTarget | null {
    const read = this.read(token, [kinds.click, kinds.clickHttps]);
    if (!read || read.rest.length < 2) return null;
    const url = (read.kind === kinds.clickHttps ? https : '') + read.rest.toString('utf8', 1);
    // Signed or not: a redirect leads nowhere else (docs/guarantees.md §6).
    return /^https?:\/\//.test(url) ? { ...read.index, position: read.rest[0]!, url } : null;
  }

  readUnsubscribe(token: string): UnsubscribeTarget | null {
    const read = this.read(token, [kinds.unsubscribe]);
    const email = read?.rest.toString('utf8') ?? '';
    return read && email !== '' && email.length <= maxAddress ? { ...read.index, email } : null;
  }

  private write(
    kind: Kind,
    { projectId, emailId }: { projectId: string; emailId: string },
    rest: Buffer,
  ): string {
    return this.bytes.write(Buffer.concat([Buffer.from([kind]), bytesOf(projectId), bytesOf(emailId), rest]));
  }

  private read(token: string, wanted: readonly Kind[]): ReadToken | null {
    const text = this.bytes.read(token);
    if (!text || text.length < head) return null;
    const kind = text[0] as Kind;
    if (!wanted.includes(kind)) return null;
    const location = { projectId: uuidAt(text, 1), emailId: uuidAt(text, 1 + uuidBytes) };
    return { kind, index: location, rest: text.subarray(head) };
  }
}

function positionByte({ position }: TokenTarget): Buffer {
  if (!Number.isInteger(position) || position < 0 || position > maxPosition)
    throw new RangeError('a token carries a position of one byte');
  return Buffer.from([position]);
}
