import { DomainError, type ErrorKind } from '@posthorn/contracts';
import { statusOfKind } from './dialect.js';

export interface PostmarkAnswer {
  ErrorCode: number;
  Message: string;
}

/** The codes used here (docs/api-decisions.md §13). */
export const postmarkCodes = {
  ok: 0,
  badToken: 10,
  unavailable: 100,
  invalidInput: 300,
  senderNotVerified: 400,
  badJson: 402,
  /** None of Postmark's own; the client throws its ordinary ApiInputError, because the status is 422. */
  notCovered: 404,
  notAllowed: 405,
  inactiveRecipient: 406,
  tooManyMessages: 410,
  rateLimited: 429,
  templatesUnsupported: 1101,
} as const;
export type PostmarkCode = (typeof postmarkCodes)[keyof typeof postmarkCodes];

export class PostmarkRefusal extends DomainError {
  constructor(
    readonly errorCode: PostmarkCode,
    message: string,
  ) {
    super(errorCode === postmarkCodes.badToken ? 'unauthenticated' : 'invalid', 'validation_error', message);
    this.name = 'PostmarkRefusal';
  }
}

export const badToken = () =>
  new PostmarkRefusal(postmarkCodes.badToken, 'The server token is missing or invalid');
export const templatesUnsupported = () =>
  new PostmarkRefusal(
    postmarkCodes.templatesUnsupported,
    'Templates are not supported; send HtmlBody or TextBody',
  );
export const notCovered = (message: string) => new PostmarkRefusal(postmarkCodes.notCovered, message);
export const tooManyMessages = (most: number) =>
  new PostmarkRefusal(postmarkCodes.tooManyMessages, `A batch may have at most ${most} messages`);
export const tooManyRecipients = (most: number) =>
  new PostmarkRefusal(
    postmarkCodes.invalidInput,
    `To, Cc and Bcc have more than ${most} recipients in total`,
  );
/** The official client parses the addresses out of this sentence. */
export const inactiveRecipients = (emails: readonly string[]) =>
  new PostmarkRefusal(
    postmarkCodes.inactiveRecipient,
    `Every recipient is inactive. Found inactive addresses: ${emails.join(', ')}. Inactive recipients bounced, complained or were suppressed`,
  );

const codeOfKind: Readonly<Record<ErrorKind, PostmarkCode>> = {
  malformed: postmarkCodes.badJson,
  invalid: postmarkCodes.invalidInput,
  unauthenticated: postmarkCodes.badToken,
  forbidden: postmarkCodes.notAllowed,
  not_found: postmarkCodes.invalidInput,
  wrong_method: postmarkCodes.invalidInput,
  gone: postmarkCodes.invalidInput,
  conflict: postmarkCodes.invalidInput,
  too_large: postmarkCodes.invalidInput,
  wrong_media_type: postmarkCodes.badJson,
  rate_limited: postmarkCodes.rateLimited,
  unavailable: postmarkCodes.unavailable,
  timeout: postmarkCodes.unavailable,
  internal: postmarkCodes.unavailable,
};

/** Every error of a request is 422 here, except authentication, rate limits and unavailability. */
const ownStatus: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'unauthenticated',
  'rate_limited',
  'unavailable',
  'timeout',
  'internal',
]);

export const postmarkStatusOf = ({ kind }: DomainError): number =>
  statusOfKind[ownStatus.has(kind) ? kind : 'invalid'];

export function postmarkErrorOf(error: DomainError): PostmarkAnswer {
  if (error instanceof PostmarkRefusal) return { ErrorCode: error.errorCode, Message: error.message };
  if (error.kind === 'unauthenticated') return postmarkErrorOf(badToken());
  const errors = error.details.errors ?? [];
  const [first] = errors;
  if (!first) return { ErrorCode: codeOfKind[error.kind], Message: error.message };
  const isSender = first.path[0] === 'from' && first.code === 'not_verified';
  return {
    ErrorCode: isSender ? postmarkCodes.senderNotVerified : codeOfKind[error.kind],
    Message: errors.map(({ path, message }) => `${nameOf(path)} ${message}`).join('; '),
  };
}

const names: Readonly<Record<string, string>> = {
  from: 'From',
  to: 'To',
  recipients: 'To',
  alsoTo: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  subject: 'Subject',
  body: 'HtmlBody',
  text: 'TextBody',
  replyTo: 'ReplyTo',
  headers: 'Headers',
  attachments: 'Attachments',
  tags: 'Tag',
  filename: 'Name',
  content: 'Content',
  contentType: 'ContentType',
  contentId: 'ContentID',
};

const nameOf = (path: readonly string[]): string =>
  path
    .map((part, index) =>
      /^\d+$/.test(part) ? `[${part}]` : `${index > 0 ? '.' : ''}${names[part] ?? part}`,
    )
    .join('');
