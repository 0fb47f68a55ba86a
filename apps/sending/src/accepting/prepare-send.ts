import { Injectable } from '@nestjs/common';
import {
  contentMissing,
  type AcceptSend,
  type Caller,
  type CheckSend,
  type Mailbox,
  type EmailCategory,
} from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { currentTraces } from '@posthorn/telemetry';
import { SendingConfig } from '../config.js';
import { refuseOutsideSandbox, SenderDirectory } from '../domains/senders/sender-directory.js';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { hasLiquid } from '../rendering/liquid/liquid.js';
import { TemplateDirectory, type ResolvedContent } from '../templates/template-directory.js';
import type { AcceptRow, SendOptions } from './accept-row.js';
import {
  ConfinedSends,
  refuseOutsideTemplates,
  refuseOtherRecipients,
  templateUseOf,
  type AllowedRecipients,
} from './confined-sends.js';
import { ControlHeaders } from './control-headers.js';
import { readAttachments, refuseFarSchedule, refuseTooManyRecipients, trackingOf } from './send-rules.js';

/** Resolves sender, template, tracking and attachments before anything is stored, so that later changes do not affect this message. */
@Injectable()
export class PrepareSend {
  private readonly clock: DatabaseClock;
  private readonly controlHeaders: ControlHeaders;

  constructor(
    database: Database,
    private readonly senders: SenderDirectory,
    private readonly templates: TemplateDirectory,
    private readonly projects: ProjectStates,
    private readonly confined: ConfinedSends,
    config: SendingConfig,
  ) {
    this.controlHeaders = new ControlHeaders(config.allowedControlHeaders);
    this.clock = new DatabaseClock(database);
  }

  /** For a batch. For a single message `prepare` makes this query itself. */
  allowedRecipients(caller: Caller, sends: readonly AcceptSend[]): Promise<AllowedRecipients> {
    return this.confined.allowedRecipients(caller, sends.flatMap(everyAddress));
  }

  async prepare(
    caller: Caller,
    send: AcceptSend,
    deadline: Date | null,
    allowed?: AllowedRecipients,
  ): Promise<AcceptRow> {
    refuseTooManyRecipients(send);
    refuseOutsideTemplates(caller, templateUseOf(send));
    this.controlHeaders.refuseIn(send.headers);
    if (send.scheduledAt) refuseFarSchedule(send.scheduledAt, await this.clock.now());
    const content = await this.contentOf(caller.projectId, send, deadline);
    const from = await this.senders.senderFor(
      caller,
      send.from ?? content.from ?? undefined,
      content.category,
    );
    const addresses = everyAddress(send);
    refuseOutsideSandbox(caller, addresses);
    if (allowed === undefined) allowed = await this.confined.allowedRecipients(caller, addresses);
    refuseOtherRecipients(allowed, addresses);
    const files = readAttachments(send.attachments ?? []);
    const { tracking } = await this.projects.settingsOf(caller.projectId);
    const subject = content.subject ?? '';
    return {
      projectId: caller.projectId,
      actor: `${caller.actor.kind} ${caller.actor.id}`,
      contentId: send.recipients[0]!.id,
      from: { email: from.email, name: from.name ?? null },
      subject,
      html: send.body ?? '',
      text: send.text ?? null,
      replyTo: send.replyTo ?? content.replyTo,
      headers: send.headers ?? null,
      tags: send.tags ?? [],
      metadata: send.metadata ?? {},
      deadline,
      emails: send.recipients.map(({ id, contactId, to }) => ({
        id,
        contactId: contactId ?? null,
        email: to.email,
        name: to.name ?? null,
      })),
      idempotency: send.idempotency ?? null,
      trace: currentTraces(),
      options: {
        ...categoryAndSourceOf(send, content),
        ...copiesOf(send),
        ...(send.scheduledAt ? { scheduledAt: send.scheduledAt } : {}),
        ...contentOptionsOf(content, subject, from.name, send.data),
        ...(isTextOnly(send) ? untracked : trackingOf(tracking, content.category, send.tracking)),
        ...(files.length > 0 ? { attachments: files.map(({ stored }) => stored) } : {}),
      },
      files: files.map(({ data }) => data),
    };
  }

  async check(
    caller: Caller,
    { from, template, headers, to = [], cc, bcc, ...send }: Omit<CheckSend, 'idempotency'>,
  ): Promise<void> {
    const { ownContent = false, scheduledAt, category } = send;
    refuseTooManyRecipients({ recipients: to, cc, bcc });
    refuseOutsideTemplates(caller, { template, ownContent });
    this.controlHeaders.refuseIn(headers);
    if (scheduledAt) refuseFarSchedule(scheduledAt, await this.clock.now());
    const content = template
      ? await this.templates.resolve(caller.projectId, { templateId: template })
      : null;
    await this.senders.senderFor(caller, from ?? content?.from ?? undefined, category ?? content?.category);
    const addresses = [...to, ...addressesOf(cc), ...addressesOf(bcc)];
    refuseOutsideSandbox(caller, addresses);
    refuseOtherRecipients(await this.confined.allowedRecipients(caller, addresses), addresses);
  }

  private async contentOf(
    projectId: string,
    send: AcceptSend,
    deadline: Date | null,
  ): Promise<ResolvedContent> {
    const { from, template, subject, body, text, verbatim } = send;
    const hasBody = body !== undefined || text !== undefined;
    const missing = [subject === undefined ? 'subject' : null, hasBody ? null : 'body'] as const;
    const needed = template ? [] : missing.filter((name) => name !== null);
    if (needed.length > 0) throw contentMissing(...needed);
    if (verbatim) return verbatimContent(subject!);
    const fromName = from && (from.name ?? '');
    const requested = { templateId: template, subject, html: body, text, fromName };
    const resolved = await this.templates.resolve(projectId, requested, deadline);
    return { ...resolved, category: send.category ?? resolved.category };
  }
}

const verbatimContent = (subject: string): ResolvedContent => ({
  templateId: null,
  templateVersion: null,
  subject,
  from: null,
  replyTo: null,
  category: 'TRANSACTIONAL' satisfies EmailCategory,
  snippetVersions: {},
  liquid: false,
});

const contentOptionsOf = (
  { templateId, templateVersion, liquid, snippetVersions }: ResolvedContent,
  subject: string,
  fromName: string | undefined,
  data: object = {},
): Partial<SendOptions> => ({
  ...(templateId ? { templateId, templateVersion } : {}),
  ...(liquid ? { liquid, subjectTemplate: subject, data, snippetVersions } : {}),
  ...(liquid && fromName && hasLiquid(fromName) ? { fromNameTemplate: fromName } : {}),
});

/** Only what differs from the default. */
const categoryAndSourceOf = (
  { sourceType }: AcceptSend,
  { category }: ResolvedContent,
): Pick<AcceptRow['options'], 'category' | 'sourceType'> => ({
  ...(category === 'MARKETING' ? { category } : {}),
  ...(sourceType ? { sourceType } : {}),
});

/** Blind copies appear in no header; they exist only as deliveries. */
function copiesOf({
  alsoTo = [],
  cc = [],
  bcc = [],
}: AcceptSend): Pick<AcceptRow['options'], 'headerRecipients' | 'additionalRecipients'> {
  const additionalRecipients = [...new Set([...alsoTo, ...cc, ...bcc].map(({ email }) => email))];
  if (additionalRecipients.length === 0) return {};
  const shown = { ...listed('to', alsoTo), ...listed('cc', cc) };
  return { ...(alsoTo.length + cc.length > 0 ? { headerRecipients: shown } : {}), additionalRecipients };
}

const listed = (name: 'to' | 'cc', mailboxes: Mailbox[]): { to?: Mailbox[]; cc?: Mailbox[] } =>
  mailboxes.length > 0 ? { [name]: mailboxes } : {};

const isTextOnly = ({ template, body }: AcceptSend): boolean => template === undefined && body === undefined;
const untracked = { trackOpens: false, trackClicks: false };

const everyAddress = ({ recipients, alsoTo = [], cc = [], bcc = [] }: AcceptSend): string[] => [
  ...recipients.map(({ to }) => to.email),
  ...addressesOf([...alsoTo, ...cc, ...bcc]),
];
const addressesOf = (mailboxes: readonly Mailbox[] = []): string[] => mailboxes.map(({ email }) => email);
