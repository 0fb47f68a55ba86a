import { bytesOf, SignedBytes, uuidAt, uuidBytes } from '../message/signed-bytes.js';

export interface TokenTarget {
  projectId: string;
  emailId: string;
  position: number;
}

export interface ClickTarget extends TokenTarget {
  url: string;
}

export interface UnsubscribeTarget {
  projectId: string;
  emailId: string;
  email: string;
  /** Of the topic of the mail, which the link is for. */
  topicId?: string | null;
  /** Of the list to which the mail was sent; without either the link is for all marketing mail. */
  listId?: string | null;
}

/** Clients truncate longer links. */
export const maxTrackedUrl = 2_048;

// Nearly every link is https, so the kind carries the scheme, which saves eight bytes in each.
const kinds = { open: 1, click: 2, clickHttps: 3, unsubscribe: 4, leaveList: 5, leaveTopic: 6 } as const;
type Kind = (typeof kinds)[keyof typeof kinds];

interface ReadToken {
  kind: Kind;
  ids: { projectId: string; emailId: string };
  rest: Buffer;
}

const https = 'https://';
const macBytes = 10;
const maxPosition = 255;
const maxAddress = 254;
const head = 1 + 2 * uuidBytes;

/** Tokens carry all data, so that a redirect needs no database. */
export class EngagementTokens {
  private readonly bytes: SignedBytes;

  constructor(secretKeys: readonly string[]) {
    this.bytes = new SignedBytes(secretKeys, {
      label: 'posthorn:engagement',
      macBytes,
      longest: head + 1 + maxTrackedUrl,
    });
  }

  forOpen(target: TokenTarget): string {
    return this.write(kinds.open, target, positionByte(target));
  }

  forClick({ url, ...target }: ClickTarget): string {
    const secure = url.startsWith(https);
    const text = Buffer.from(secure ? url.slice(https.length) : url, 'utf8');
    return this.write(
      secure ? kinds.clickHttps : kinds.click,
      target,
      Buffer.concat([positionByte(target), text]),
    );
  }

  forUnsubscribe({ email, topicId = null, listId = null, ...target }: UnsubscribeTarget): string {
    const address = Buffer.from(email, 'utf8');
    const named = (id: string) => Buffer.concat([bytesOf(id), address]);
    if (topicId !== null) return this.write(kinds.leaveTopic, target, named(topicId));
    return listId === null
      ? this.write(kinds.unsubscribe, target, address)
      : this.write(kinds.leaveList, target, named(listId));
  }

  readOpen(token: string): TokenTarget | null {
    const read = this.read(token, [kinds.open]);
    return read?.rest.length === 1 ? { ...read.ids, position: read.rest[0]! } : null;
  }

  readClick(token: string): ClickTarget | null {
    const read = this.read(token, [kinds.click, kinds.clickHttps]);
    if (!read || read.rest.length < 2) return null;
    const url = (read.kind === kinds.clickHttps ? https : '') + read.rest.toString('utf8', 1);
    // Even a signed token never redirects to another scheme (docs/guarantees.md §6).
    return /^https?:\/\//.test(url) ? { ...read.ids, position: read.rest[0]!, url } : null;
  }

  readUnsubscribe(token: string): UnsubscribeTarget | null {
    const read = this.read(token, [kinds.unsubscribe, kinds.leaveList, kinds.leaveTopic]);
    if (!read) return null;
    const names = read.kind !== kinds.unsubscribe;
    if (names && read.rest.length < uuidBytes) return null;
    const email = read.rest.toString('utf8', names ? uuidBytes : 0);
    if (email === '' || email.length > maxAddress) return null;
    const target = { ...read.ids, email };
    if (!names) return target;
    const id = uuidAt(read.rest, 0);
    return read.kind === kinds.leaveTopic ? { ...target, topicId: id } : { ...target, listId: id };
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
    const target = { projectId: uuidAt(text, 1), emailId: uuidAt(text, 1 + uuidBytes) };
    return { kind, ids: target, rest: text.subarray(head) };
  }
}

function positionByte({ position }: TokenTarget): Buffer {
  if (!Number.isInteger(position) || position < 0 || position > maxPosition)
    throw new RangeError('a token carries a position of one byte');
  return Buffer.from([position]);
}
