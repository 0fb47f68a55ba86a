import {
  DomainError,
  isUuid,
  minFileTextLength,
  readJson,
  type Caller,
  type ErrorCode,
  type ErrorDetails,
  type ErrorKind,
  type JsonPiece,
  type FileText,
} from '@posthorn/contracts';

export interface CallFrame {
  caller: Caller;
  /** Milliseconds of Postgres time; 0 for none. A write that begins later is refused. */
  deadline: number;
  body: unknown;
  /** Ids of the HTTP requests that caused the call. */
  requests?: readonly string[];
  traces?: string;
}

export type ReplyFrame = { reply: unknown } | { error: WireError };

interface WireError {
  kind: ErrorKind;
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
}

export interface WireEvent {
  id: string;
  name: string;
  version: number;
  projectId: string;
  at: Date | string;
  actor?: Caller['actor'];
  ipAddress?: string;
  items: object[];
}

export const subjectOf = (contractSubject: string): string => `call.${contractSubject}`;

export const toWireError = ({ kind, code, message, details }: DomainError): ReplyFrame => ({
  error: { kind, code: code as ErrorCode, message, details },
});

export const fromWireError = ({ kind, code, message, details }: WireError): DomainError =>
  new DomainError(kind, code, message, details);

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export const decode = <T>(payload: Uint8Array): T => JSON.parse(decoder.decode(payload)) as T;
export const encode = (text: string): Uint8Array => encoder.encode(text);

/** Entries are already encoded; neighbouring texts are encoded once. */
export function encodeAll(entries: readonly JsonPiece[][]): Uint8Array[] {
  const encoded: Uint8Array[] = [];
  let text = '[';
  entries.forEach((pieces, index) => {
    if (index > 0) text += ',';
    for (const piece of pieces) {
      if (typeof piece === 'string') text += piece;
      else {
        encoded.push(encode(text), piece);
        text = '';
      }
    }
  });
  encoded.push(encode(`${text}]`));
  return encoded;
}

/** In memory of its own, which may be released. */
export function encodeOne(pieces: readonly JsonPiece[]): Buffer {
  const encoded = pieces.map((piece) => (typeof piece === 'string' ? encode(piece) : piece));
  const whole = Buffer.allocUnsafeSlow(encoded.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of encoded) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** Like `decode`, but long files stay in the payload, which must not be reused. */
export const decodeLarge = <T>(payload: Buffer): T => readJson(payload, fileTextsIn(payload)) as T;

const content = Buffer.from('"content":"');
const quote = 0x22;
const backslash = 0x5c;

/** Relies on JSON.stringify's form. A string with an escaped quote is no file: it would end too early. */
function fileTextsIn(payload: Buffer): FileText[] {
  const found: FileText[] = [];
  for (let at = payload.indexOf(content); at >= 0;) {
    const start = at + content.length;
    const end = payload.indexOf(quote, start);
    if (end - start > minFileTextLength && payload[end - 1] !== backslash) found.push({ start, end });
    at = payload.indexOf(content, Math.max(start, end));
  }
  return found;
}

export function readEvent(payload: Uint8Array): WireEvent | null {
  try {
    const event = decode<WireEvent | null>(payload);
    return event && isUuid(event.id) && isUuid(event.projectId) && Array.isArray(event.items) ? event : null;
  } catch {
    return null;
  }
}
