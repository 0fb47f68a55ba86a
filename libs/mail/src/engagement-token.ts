import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Whose message a token was made for: one recipient's, by position. */
export interface TokenPlace {
  projectId: string;
  emailId: string;
  /** 0 is `to`, then come cc and bcc. */
  position: number;
}

export interface ClickPlace extends TokenPlace {
  url: string;
}

/** Who may opt out with it, and by which message. */
export interface UnsubscribePlace {
  projectId: string;
  emailId: string;
  /** Bare and normalised. */
  email: string;
}

/** Clients cut longer links, and no page lives at one. */
export const longestTrackedUrl = 2_048;

// The scheme that nearly every link has travels in the kind: eight bytes less in each of them.
const kinds = { open: 1, click: 2, clickHttps: 3, unsubscribe: 4 } as const;
type Kind = (typeof kinds)[keyof typeof kinds];

interface ReadToken {
  kind: Kind;
  place: { projectId: string; emailId: string };
  rest: Buffer;
}

const https = 'https://';
const macBytes = 10;
const uuidBytes = 16;
const maxPosition = 255;
const longestAddress = 254;
/** Of base64url; a longer one is not read at all. */
const longestToken = Math.ceil(((1 + 2 * uuidBytes + 1 + longestTrackedUrl + macBytes) * 4) / 3);
const label = 'posthorn:engagement';

/**
 * What tracked links, pixels and unsubscribe links bear. A token says all that it takes to answer it, so that a redirect needs
 * no database, and nobody can make one up. The first key of the ring signs, every key verifies.
 */
export class EngagementTokens {
  /** As key objects: a key of plain bytes is looked at anew for each token, at five times the time. */
  private readonly keys: readonly KeyObject[];

  constructor(secretKeys: readonly string[]) {
    this.keys = secretKeys.map((secretKey) => createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', label, 32))));
  }

  forOpen(place: TokenPlace): string {
    return this.write(kinds.open, place, positionByte(place));
  }

  /** `url` is http or https, as `trackHtml` gives it. */
  forClick({ url, ...place }: ClickPlace): string {
    const secure = url.startsWith(https);
    const text = Buffer.from(secure ? url.slice(https.length) : url, 'utf8');
    return this.write(secure ? kinds.clickHttps : kinds.click, place, Buffer.concat([positionByte(place), text]));
  }

  forUnsubscribe({ email, ...place }: UnsubscribePlace): string {
    return this.write(kinds.unsubscribe, place, Buffer.from(email, 'utf8'));
  }

  /** Null for whatever is not exactly a token of ours, whatever is wrong with it. */
  readOpen(token: string): TokenPlace | null {
    const read = this.read(token, [kinds.open]);
    return read?.rest.length === 1 ? { ...read.place, position: read.rest[0]! } : null;
  }

  readClick(token: string): ClickPlace | null {
    const read = this.read(token, [kinds.click, kinds.clickHttps]);
    if (!read || read.rest.length < 2) return null;
    const url = (read.kind === kinds.clickHttps ? https : '') + read.rest.toString('utf8', 1);
    // Signed or not: a redirect leads nowhere else (guarantees.md §6).
    return /^https?:\/\//.test(url) ? { ...read.place, position: read.rest[0]!, url } : null;
  }

  readUnsubscribe(token: string): UnsubscribePlace | null {
    const read = this.read(token, [kinds.unsubscribe]);
    const email = read?.rest.toString('utf8') ?? '';
    return read && email !== '' && email.length <= longestAddress ? { ...read.place, email } : null;
  }

  private write(kind: Kind, { projectId, emailId }: { projectId: string; emailId: string }, rest: Buffer): string {
    const said = Buffer.concat([Buffer.from([kind]), bytesOf(projectId), bytesOf(emailId), rest]);
    return Buffer.concat([said, macOf(said, this.keys[0]!)]).toString('base64url');
  }

  private read(token: string, wanted: readonly Kind[]): ReadToken | null {
    if (token.length > longestToken) return null;
    const bytes = Buffer.from(token, 'base64url');
    // Several texts decode to the same bytes; only the one that we write is ours.
    const head = 1 + 2 * uuidBytes;
    if (bytes.length < head + macBytes || bytes.toString('base64url') !== token) return null;
    const said = bytes.subarray(0, -macBytes);
    const mac = bytes.subarray(-macBytes);
    if (!this.keys.some((key) => timingSafeEqual(macOf(said, key), mac))) return null;
    const kind = said[0] as Kind;
    if (!wanted.includes(kind)) return null;
    const place = { projectId: uuidAt(said, 1), emailId: uuidAt(said, 1 + uuidBytes) };
    return { kind, place, rest: said.subarray(head) };
  }
}

const macOf = (said: Buffer, key: KeyObject): Buffer => createHmac('sha256', key).update(said).digest().subarray(0, macBytes);

function positionByte({ position }: TokenPlace): Buffer {
  if (!Number.isInteger(position) || position < 0 || position > maxPosition) throw new RangeError('a token carries a position of one byte');
  return Buffer.from([position]);
}

function bytesOf(uuid: string): Buffer {
  const hex = uuid.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/i.test(hex)) throw new RangeError('a token carries uuids');
  return Buffer.from(hex, 'hex');
}

const uuidAt = (bytes: Buffer, start: number): string =>
  bytes.toString('hex', start, start + uuidBytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
