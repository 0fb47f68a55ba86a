import PostalMime, { type Attachment } from 'postal-mime';
import { readDmarcReport, type DmarcReport } from './dmarc-report.js';
import { readHead } from './read-head.js';
import { unpack, Unreadable } from './unpack.js';

const maxPartDepth = 10;
const maxHeaderBytes = 64 * 1024;
/** 1 MiB of base64 has fewer. */
const maxLines = 20_000;
const maxUnpacked = 4 * 1024 * 1024;
const types = new Set([
  'application/gzip',
  'application/x-gzip',
  'application/zip',
  'application/x-zip-compressed',
  'application/xml',
  'text/xml',
  'application/octet-stream',
]);
const name = /\.(?:xml|xml\.gz|gz|zip)$/i;

/** The aggregate report in a mail (RFC 7489 §7.2.1.1). @throws Unreadable, whose message says why. */
export async function readDmarcMail(raw: Uint8Array): Promise<DmarcReport> {
  const files = (await attachmentsOf(raw)).filter(
    ({ mimeType, filename }) => types.has(mimeType) && name.test(filename ?? ''),
  );
  const [file] = files;
  if (!file || files.length > 1) throw new Unreadable('the mail has not one report');
  return readDmarcReport((await unpack(bytesOf(file), maxUnpacked)).toString('utf8'));
}

async function attachmentsOf(raw: Uint8Array): Promise<Attachment[]> {
  const head = readHead(raw, maxLines);
  if (!head) throw new Unreadable('the mail has no header');
  try {
    const limits = { maxNestingDepth: maxPartDepth, maxHeadersSize: maxHeaderBytes };
    return (await PostalMime.parse(head, limits)).attachments;
  } catch {
    throw new Unreadable('the mail cannot be read');
  }
}

const bytesOf = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content as ArrayBuffer);
