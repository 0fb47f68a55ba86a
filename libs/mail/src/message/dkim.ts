import {
  createHash,
  createPrivateKey,
  generateKeyPair as generate,
  hash,
  sign,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { fold } from './encoded-word.js';

export type SigningAlgorithm = 'rsa' | 'ed25519';

export interface SigningKey {
  domain: string;
  selector: string;
  algorithm: SigningAlgorithm;
  privateKey: string;
}

export interface SigningKeyPair {
  privateKey: string;
  publicKey: string;
}

/** Signed once more than they occur, so that nobody can add another (RFC 6376 §8.15). */
const alwaysSigned = [
  'from',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'mime-version',
  'content-type',
];
const hashedAtOnce = 32 * 1024;
/** A mailing list or relay may add one of these where there was none. */
const signedWherePresent = [
  'content-transfer-encoding',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'feedback-id',
  'in-reply-to',
  'references',
];

/** One for each key (RFC 6376, RFC 8463); deterministic, so that a resent message has the same bytes. */
export function signMessage(raw: Buffer, keys: readonly SigningKey[], at: Date): Buffer {
  if (keys.length === 0) return raw;
  const end = raw.indexOf('\r\n\r\n');
  const fields = readFields(raw.toString('latin1', 0, end + 2));
  const signed = signedNames(fields);
  const bodyHash = hashOfBody(raw, end + 4);
  const covered = coveredFields(fields, signed);
  const signatures = keys.map((key) => formatSignature(key, signed, bodyHash, covered, at));
  return Buffer.concat([Buffer.from(signatures.join(''), 'latin1'), raw]);
}

function readFields(block: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const field of block.split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':');
    if (colon > 0) {
      const name = field.slice(0, colon).trim().toLowerCase();
      fields.set(name, [...(fields.get(name) ?? []), `${name}:${relaxValue(field.slice(colon + 1))}\r\n`]);
    }
  }
  return fields;
}

const relaxValue = (value: string): string =>
  trimBlanks(value.replaceAll('\r\n', '').replace(/[ \t]+/g, ' '));

/** Only ASCII blanks: `trim` would also remove bytes of other letters. */
function trimBlanks(value: string): string {
  const start = value.startsWith(' ') ? 1 : 0;
  return value.endsWith(' ') ? value.slice(start, -1) : value.slice(start);
}

function signedNames(fields: ReadonlyMap<string, string[]>): string[] {
  const present = signedWherePresent.filter((name) => fields.has(name));
  return [...alwaysSigned, ...present].flatMap((name) => [...(fields.get(name) ?? []).map(() => name), name]);
}

/** Several fields of one name are signed from the last to the first (RFC 6376 §5.4.2). */
function coveredFields(fields: ReadonlyMap<string, string[]>, signed: readonly string[]): string {
  return [...new Set(signed)].flatMap((name) => [...(fields.get(name) ?? [])].reverse()).join('');
}

/** In pieces: otherwise a body of many megabytes would be in memory four times. */
function hashOfBody(raw: Buffer, start: number): string {
  const digest = createHash('sha256');
  let held = '';
  let isEmpty = true;
  for (let at = start; at < raw.length;) {
    const end = lineEnd(raw, at + hashedAtOnce);
    const lines = relaxLines(raw.toString('latin1', at, end));
    at = end;
    const texts = withoutEmptyEnd(lines);
    if (texts === '') held += lines;
    else {
      digest.update(held + texts, 'latin1');
      held = lines.slice(texts.length);
      isEmpty = false;
    }
  }
  return digest.update(isEmpty ? '' : '\r\n').digest('base64');
}

function lineEnd(raw: Buffer, from: number): number {
  const end = raw.indexOf('\r\n', from);
  return end === -1 ? raw.length : end + 2;
}

/** Runs of blanks first, then line ends: each expression passes over the body once (RFC 6376 §3.4.4). */
function relaxLines(lines: string): string {
  const relaxed = lines.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n');
  return relaxed.endsWith(' ') ? relaxed.slice(0, -1) : relaxed;
}

function withoutEmptyEnd(lines: string): string {
  let end = lines.length;
  while (end >= 2 && lines.startsWith('\r\n', end - 2)) end -= 2;
  return lines.slice(0, end);
}

function formatSignature(
  key: SigningKey,
  signed: readonly string[],
  bodyHash: string,
  covered: string,
  at: Date,
): string {
  const tags =
    `v=1; a=${key.algorithm}-sha256; c=relaxed/relaxed; d=${key.domain}; s=${key.selector}; t=${Math.floor(at.getTime() / 1_000)}; ` +
    `h=${signed.join(': ')}; bh=${bodyHash}; b=`;
  const folded = fold(tags, 'DKIM-Signature: '.length);
  const signature = signBytes(key, Buffer.from(`${covered}dkim-signature:${relaxValue(folded)}`, 'latin1'));
  return `DKIM-Signature: ${folded}${signature.replace(/.{1,72}/g, '\r\n $&')}\r\n`;
}

function signBytes({ algorithm, privateKey }: SigningKey, bytes: Buffer): string {
  const key = parsedKey(privateKey);
  // RFC 8463 §3: ed25519 signs the digest, not the text.
  const signature =
    algorithm === 'rsa' ? sign('sha256', bytes, key) : sign(null, hash('sha256', bytes, 'buffer'), key);
  return signature.toString('base64');
}

const parsed = new Map<string, KeyObject>();
const maxParsed = 1_000;

/** Parsing a PEM costs as much as an ed25519 signature. */
function parsedKey(privateKey: string): KeyObject {
  const known = parsed.get(privateKey);
  if (known) return known;
  const key = createPrivateKey(privateKey);
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(privateKey, key);
  return key;
}

const generateAsync = promisify(generate);

export async function generateKeyPair(algorithm: SigningAlgorithm): Promise<SigningKeyPair> {
  const { privateKey, publicKey } =
    algorithm === 'rsa'
      ? await generateAsync('rsa', { modulusLength: 2048 })
      : await generateAsync('ed25519');
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    // RFC 8463 §4: the bare key of 32 bytes, which is the end of the SPKI.
    publicKey: (algorithm === 'rsa' ? spki : spki.subarray(-32)).toString('base64'),
  };
}

export interface PublishedKey {
  domain: string;
  selector: string;
  algorithm: SigningAlgorithm;
  publicKey: string;
}

export const dnsRecordOf = ({
  domain,
  selector,
  algorithm,
  publicKey,
}: PublishedKey): { name: string; value: string } => ({
  name: `${selector}._domainkey.${domain}`,
  value: `v=DKIM1; k=${algorithm}; p=${publicKey}`,
});
