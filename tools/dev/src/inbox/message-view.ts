import PostalMime, { type Address, type Attachment } from 'postal-mime';
import type { MessageSummary } from './message-store.js';

export interface MessageView extends MessageSummary {
  to: string[];
  cc: string[];
  replyTo: string[];
  date: string | null;
  messageId: string | null;
  headers: { name: string; value: string }[];
  html: string | null;
  text: string | null;
  attachments: {
    filename: string | null;
    mimeType: string;
    disposition: string | null;
    contentId: string | null;
    size: number;
  }[];
}

export async function viewMessage(summary: MessageSummary, raw: Buffer): Promise<MessageView> {
  const mail = await PostalMime.parse(raw);
  return {
    ...summary,
    to: (mail.to ?? []).flatMap(addresses),
    cc: (mail.cc ?? []).flatMap(addresses),
    replyTo: (mail.replyTo ?? []).flatMap(addresses),
    date: mail.date ?? null,
    messageId: mail.messageId ?? null,
    headers: mail.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    html: mail.html ?? null,
    text: mail.text ?? null,
    attachments: mail.attachments.map((part) => ({
      filename: part.filename,
      mimeType: part.mimeType,
      disposition: part.disposition,
      contentId: part.contentId ?? null,
      size: bytes(part).length,
    })),
  };
}

/** The HTML part with its embedded images, for a frame that may load nothing from this server. Links open in a new tab. */
export async function messageHtml(raw: Buffer): Promise<string> {
  const mail = await PostalMime.parse(raw);
  const images = new Map(
    mail.attachments.filter(isEmbedded).map((part) => [part.contentId?.replace(/^<|>$/g, ''), part]),
  );
  const html = (mail.html ?? '').replace(/\bcid:([^"'\s)>]+)/gi, (reference, id: string) => {
    const image = images.get(unescaped(id));
    return image ? `data:${image.mimeType};base64,${bytes(image).toString('base64')}` : reference;
  });
  // Behind the doctype: in front of it, it would put the browser into quirks mode.
  return html.replace(/^\s*(<!doctype[^>]*>)?/i, (doctype) => `${doctype}<base target="_blank">`);
}

function isEmbedded({ contentId, mimeType }: Attachment): boolean {
  return contentId !== undefined && mimeType.startsWith('image/');
}

function bytes({ content }: Attachment): Buffer {
  if (typeof content === 'string') return Buffer.from(content, 'utf8');
  return content instanceof ArrayBuffer
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

function addresses(entry: Address): string[] {
  if (entry.group) return entry.group.flatMap(addresses);
  return [entry.name ? `${entry.name} <${entry.address}>` : entry.address];
}

function unescaped(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
