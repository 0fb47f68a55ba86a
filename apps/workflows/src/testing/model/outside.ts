import {
  contactLookups,
  contacts,
  DomainError,
  emails,
  projects,
  unavailable,
  workflowMail,
  type AcceptSend,
  type Contact,
  type UpdateContactById,
} from '@posthorn/contracts';
import type { BusConnection } from '@posthorn/messaging';
import { standIn } from '@posthorn/testing';
import { standInAuthorities } from '../stand-in-authorities.js';
import { usedPaths } from '../used-paths.js';
import { standInProject } from '../stand-in-project.js';
import { withUpdate, type Updated } from './ending.js';
import type { Random } from './random.js';
import { filled } from './scenario.js';

export interface AcceptedMail {
  to: string;
  subject: string;
  createdAt: Date;
}

/** The other services: they do what they are asked once, and lose some of their answers. */
export class Outside {
  readonly people = new Map<string, Contact>();
  readonly eventData = new Map<string, Record<string, unknown>>();
  /** By execution, in the order of their arrival. */
  readonly mails = new Map<string, AcceptedMail[]>();
  /** By contact. */
  readonly updates = new Map<string, Updated[]>();
  lost = 0;
  isReliable = false;
  /** A mail has been stored, and is not answered yet. */
  onAccepted: (executionId: string, subject: string) => Promise<void> = () => Promise.resolve();
  private readonly applied = new Set<string>();
  private readonly accepted = new Map<string, AcceptedMail>();

  constructor(private readonly random: Random) {}

  standIn(connection: BusConnection): Promise<(() => Promise<void>)[]> {
    return Promise.all([
      standInAuthorities(connection),
      standIn(connection, contactLookups.byIds, async ({ ids }) => {
        this.mayFail(0.01);
        return { contacts: ids.flatMap((id) => this.people.get(id) ?? []) };
      }),
      standIn(connection, contactLookups.events, async ({ ids }) => {
        this.mayFail(0.01);
        return {
          events: ids.flatMap((id) =>
            this.eventData.has(id) ? [{ id, payload: this.eventData.get(id)! }] : [],
          ),
        };
      }),
      standIn(connection, contacts.update, (update) => this.update(update)),
      standIn(connection, projects.get, async ({ id }) => {
        this.mayFail(0.01);
        return { id, ...standInProject };
      }),
      standIn(connection, emails.accept, (send) => this.accept(send)),
      standIn(connection, emails.get, async ({ id }) => {
        this.mayFail(0.1);
        const mail = this.accepted.get(id);
        if (!mail) throw new DomainError('not_found', 'resource_not_found', 'No such email');
        return { id, createdAt: mail.createdAt } as never;
      }),
      standIn(connection, workflowMail.texts, async ({ items }) => {
        this.mayFail(0.01);
        return {
          items: items.map(({ texts, variables }) => ({
            texts: texts.map(({ text }) => ({ text: filled(text, variables) })),
            error: null,
          })),
        };
      }),
      standIn(connection, workflowMail.uses, async (content) => ({ paths: usedPaths(content) })),
      standIn(connection, workflowMail.tryOut, async ({ subject = '', body = '', variables }) => ({
        from: 'hello@example.org',
        subject: filled(subject, variables),
        html: body,
        text: body,
      })),
    ]);
  }

  private async accept({ recipients, subject, data, metadata }: AcceptSend) {
    this.mayFail(0.04);
    const { id, to } = recipients[0]!;
    // As sending refuses an id that is taken.
    if (this.accepted.has(id!)) throw unavailable();
    const executionId = metadata!['executionId']!;
    const contact = [...this.people.values()].find(({ email }) => email === to.email);
    const { customFields = {} } = contact ?? {};
    const variables = { ...customFields, contact: { email: to.email, data: customFields }, ...data };
    const mail = { to: to.email, subject: filled(subject!, variables), createdAt: new Date() };
    this.accepted.set(id!, mail);
    this.mails.set(executionId, [...(this.mails.get(executionId) ?? []), mail]);
    await this.onAccepted(executionId, subject!);
    this.mayFail(0.06);
    const email = { id: id!, to: to.email, from: 'hello@example.org', contactId: null };
    return { emails: [email], acceptedAt: mail.createdAt };
  }

  private async update({ id, customFields = {}, subscribed, effect }: UpdateContactById): Promise<Contact> {
    this.mayFail(0.04);
    const contact = this.people.get(id)!;
    if (this.applied.has(effect!.id)) return contact;
    this.applied.add(effect!.id);
    const update = { updates: customFields, subscribed: subscribed ?? null };
    this.updates.set(id, withUpdate(this.updates.get(id) ?? [], update));
    const merged = Object.entries({ ...contact.customFields, ...customFields });
    contact.customFields = Object.fromEntries(merged.filter(([, value]) => value !== null));
    if (subscribed !== undefined) contact.subscribed = subscribed;
    this.mayFail(0.06);
    return contact;
  }

  /** Before it is done, or when it is done and only the answer is lost. */
  private mayFail(share: number): void {
    if (this.isReliable || !this.random.chance(share)) return;
    this.lost += 1;
    throw unavailable();
  }
}
