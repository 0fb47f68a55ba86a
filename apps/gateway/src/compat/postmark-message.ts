import {
  EmailContent,
  invalid,
  invalidMember,
  maxRecipients,
  parse,
  parseMailbox,
  type InvalidMember,
  type Mailbox,
} from '@posthorn/contracts';
import { templatesUnsupported, tooManyRecipients } from '../dialects/postmark.js';

export interface ReadMessage {
  /** As written, for the response. */
  to: string;
  recipients: Mailbox[];
  content: EmailContent & { from: Mailbox };
}

type Members = Readonly<Record<string, unknown>>;

/** Unknown members are ignored, because the dialect has many that have no meaning here. */
export function readMessage(message: unknown): ReadMessage {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw invalidMember([], 'invalid_type', 'A message must be an object');
  const members = message as Members;
  if (['TemplateId', 'TemplateAlias', 'TemplateModel'].some((name) => given(members, name)))
    throw templatesUnsupported();
  const [to, cc, bcc] = [
    addresses(members, 'To', 'to'),
    addresses(members, 'Cc', 'cc'),
    addresses(members, 'Bcc', 'bcc'),
  ];
  if (to.length + cc.length + bcc.length > maxRecipients) throw tooManyRecipients(maxRecipients);
  const plain = withoutAbsent({
    from: oneAddress(members, 'From', 'from'),
    subject: text(members, 'Subject', 'subject'),
    body: text(members, 'HtmlBody', 'body'),
    text: text(members, 'TextBody', 'text'),
    replyTo: oneAddress(members, 'ReplyTo', 'replyTo'),
    headers: headers(members),
    attachments: attachments(members),
    tags: tags(members),
  });
  const missing = missingOf(to, plain);
  if (missing.length > 0) throw invalid(missing);
  const content = parse(EmailContent, {
    ...plain,
    ...(cc.length > 0 ? { cc } : {}),
    ...(bcc.length > 0 ? { bcc } : {}),
  });
  return { to: members['To'] as string, recipients: to, content: content as ReadMessage['content'] };
}

function missingOf(to: readonly Mailbox[], plain: Record<string, unknown>): InvalidMember[] {
  const missing = (name: string, message: string): InvalidMember => ({
    path: [name],
    code: 'required',
    message,
  });
  return [
    ...(to.length === 0 ? [missing('to', 'is required')] : []),
    ...['from', 'subject'].flatMap((name) =>
      plain[name] === undefined ? [missing(name, 'is required')] : [],
    ),
    ...(plain['body'] === undefined && plain['text'] === undefined
      ? [missing('body', 'or TextBody is required')]
      : []),
  ];
}

const given = (members: Members, name: string): boolean =>
  members[name] !== undefined && members[name] !== null;

const withoutAbsent = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** In this dialect an empty string means absent. */
function text(members: Members, name: string, inner: string): string | undefined {
  const value = members[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalidMember([inner], 'invalid_type', 'must be a string');
  return value;
}

function addresses(members: Members, name: string, inner: string): Mailbox[] {
  const written = text(members, name, inner) ?? '';
  return splitList(written).map((each) => {
    const mailbox = parseMailbox(each);
    if (!mailbox) throw invalidMember([inner], 'invalid_format', 'contains an invalid address');
    return mailbox;
  });
}

function oneAddress(members: Members, name: string, inner: string): Mailbox | undefined {
  const [first, ...others] = addresses(members, name, inner);
  if (others.length > 0) throw invalidMember([inner], 'invalid_format', 'must be a single address');
  return first;
}

function splitList(written: string): string[] {
  const parts: string[] = [];
  let first = 0;
  let within: '"' | '>' | null = null;
  for (let at = 0; at < written.length; at += 1) {
    const letter = written[at];
    if (within === '"' && letter === '\\') at += 1;
    else if (within !== null) within = letter === within ? null : within;
    else if (letter === '"') within = '"';
    else if (letter === '<') within = '>';
    else if (letter === ',') {
      parts.push(written.slice(first, at));
      first = at + 1;
    }
  }
  return [...parts, written.slice(first)].map((part) => part.trim()).filter((part) => part !== '');
}

function listOf(members: Members, name: string, inner: string): Members[] {
  const value = members[name];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'object' || entry === null))
    throw invalidMember([inner], 'invalid_type', 'must be a list of objects');
  return value as Members[];
}

function headers(members: Members): Record<string, unknown> | undefined {
  const entries = listOf(members, 'Headers', 'headers').map(({ Name, Value }): [string, unknown] => [
    String(Name),
    Value,
  ]);
  if (new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length)
    throw invalidMember(['headers'], 'not_allowed', 'must not contain a header twice');
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function attachments(members: Members): Record<string, unknown>[] | undefined {
  const files = listOf(members, 'Attachments', 'attachments').map(
    ({ Name, Content, ContentType, ContentID }) => ({
      filename: Name,
      content: Content,
      ...(ContentType ? { contentType: withoutName(ContentType) } : {}),
      // Examples of the dialect write the `cid:` prefix of the HTML.
      ...(ContentID
        ? { contentId: typeof ContentID === 'string' ? ContentID.replace(/^cid:/i, '') : ContentID }
        : {}),
    }),
  );
  return files.length > 0 ? files : undefined;
}

/** The file has its own name, and one here may hold characters that no parameter may. */
const withoutName = (contentType: unknown): unknown =>
  typeof contentType === 'string' ? contentType.replace(/;\s*name\*?=[^;]*/i, '').trim() : contentType;

function tags(members: Members): string[] | undefined {
  const tag = withoutDashes((text(members, 'Tag', 'tags') ?? '').replace(/[^A-Za-z0-9_-]+/g, '-'));
  return tag === '' ? undefined : [tag.slice(0, 64)];
}

/** Without those around it. The expression `-+$` takes quadratic time for many dashes in the middle. */
function withoutDashes(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === '-') start += 1;
  while (end > start && text[end - 1] === '-') end -= 1;
  return text.slice(start, end);
}
