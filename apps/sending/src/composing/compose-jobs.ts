import type { Mailbox } from '@posthorn/contracts';
import type { MailAttachment } from '@posthorn/mail';
import type { SendingConfig } from '../config.js';
import { isErased } from '../erasures/erased-names.js';
import type { MessageTexts } from '../rendering/liquid/liquid.js';
import type { SenderIdentity } from '../domains/senders/sender-identities.js';
import type { LoadedTexts } from '../templates/template-texts.js';
import type { StoredMessage } from './stored-message.js';
import type { ProjectInMail } from './marketing-footer.js';
import type { ComposeJob } from './compose.js';

interface JobInputs {
  variables: Record<string, unknown>;
  templateTexts: LoadedTexts;
  identity: SenderIdentity;
  files: Buffer[];
}

export class ComposeJobs {
  constructor(private readonly config: Pick<SendingConfig, 'publicUrl' | 'secretKeys' | 'smtpUrl'>) {}

  /** Returns an error where the attachments or the version of the template no longer exist. */
  of(message: StoredMessage, { variables, templateTexts, identity, files }: JobInputs): ComposeJob | Error {
    const { templateId, templateVersion } = message;
    if (files.length < (message.attachments?.length ?? 0))
      return new Error('The attachments of the message are no longer retained');
    const template = templateId
      ? templateTexts.template({ projectId: message.projectId, templateId, version: templateVersion! })
      : null;
    if (templateId && !template) return new Error('The content of the template was deleted');
    const project = (variables['project'] ?? {}) as ProjectInMail;
    const {
      projectId,
      emailId,
      date,
      from,
      to,
      headerRecipients,
      replyTo,
      headers,
      category,
      listId,
      topicId,
      trackOpens,
      trackClicks,
    } = message;
    return {
      projectId,
      emailId,
      date,
      from: named(from),
      to: [named(to), ...shown(headerRecipients?.to)],
      cc: shown(headerRecipients?.cc),
      replyTo,
      headers: { ...headers, ...providerHeaders(this.config.smtpUrl, emailId) },
      category,
      texts: textsOf(message, template?.html),
      liquid: message.liquid
        ? {
            variables: { ...variables, ...message.data },
            snippets: snippetsOf(message, templateTexts),
            timeZone: project.time_zone,
          }
        : null,
      project,
      listId,
      topicId,
      publicUrl: identity.trackingHost ? `https://${identity.trackingHost}` : this.config.publicUrl,
      secretKeys: this.config.secretKeys,
      trackOpens,
      trackClicks,
      files: (message.attachments ?? []).map((stored, index): MailAttachment => ({
        ...stored,
        data: files[index]!,
      })),
      keys: identity.keys,
    };
  }
}

const snippetsOf = (
  { projectId, snippetVersions }: StoredMessage,
  templateTexts: LoadedTexts,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(snippetVersions ?? {}).map(([name, id]) => [
      name,
      templateTexts.snippet({ projectId, id })?.body ?? '',
    ]),
  );

const textsOf = (
  { subject, html, text, fromNameTemplate }: StoredMessage,
  templateHtml: string | undefined,
): MessageTexts => ({
  subject,
  html: html === '' ? (templateHtml ?? '') : html,
  text,
  ...(fromNameTemplate ? { fromName: fromNameTemplate } : {}),
});

const postmarkHost = /(?:^|\.)postmarkapp\.com$/i;

/** Postmark gives messages another return path and Message-ID; its reports name them by this metadata. */
const providerHeaders = (smtpUrl: string, emailId: string): Record<string, string> =>
  postmarkHost.test(new URL(smtpUrl).hostname) ? { 'X-PM-Metadata-posthorn-id': emailId } : {};

/** The hash of an erased address appears in no header. */
const shown = (mailboxes: Mailbox[] = []): Mailbox[] => mailboxes.filter(({ email }) => !isErased(email));

const named = ({ email, name }: { email: string; name?: string | null }) =>
  name ? { email, name } : { email };
