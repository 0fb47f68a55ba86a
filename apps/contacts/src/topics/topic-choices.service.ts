import { Injectable } from '@nestjs/common';
import {
  invalid,
  topicChoiceEvents,
  topicChoices,
  type ChoiceSource,
  type ChooseTopicsOf,
  type ContactId,
  type ContactTopics,
  type InvalidMember,
  type NotOptedIn,
  type TopicAudience,
} from '@posthorn/contracts';
import { Handles, Outbox, type Incoming } from '@posthorn/messaging';
import type { ContactRow } from '../contacts/contact.entity.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { requestedBy, type WriteOrigin } from '../contacts/writes/contact-write.js';
import { LimitedChanges } from '../contacts/writes/limited-changes.js';
import { TopicChoicesRepository } from './topic-choices.repository.js';
import { TopicsRepository } from './topics.repository.js';

@Injectable()
export class TopicChoices {
  constructor(
    private readonly choices: TopicChoicesRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Of a locked contact, so that the consents of one topic have an order. */
  async put(
    { projectId, id }: ContactRow,
    choices: ReadonlyMap<string, boolean>,
    made: { by: ChoiceSource; origin: WriteOrigin },
  ): Promise<void> {
    if (choices.size === 0) return;
    const changed = await this.choices.put(projectId, id, choices, made);
    if (changed.length > 0) await this.outbox.publish(topicChoiceEvents.chosen, projectId, changed);
  }
}

@Injectable()
export class TopicChoicesService {
  constructor(
    private readonly topics: TopicsRepository,
    private readonly contacts: ContactsRepository,
    private readonly choices: TopicChoicesRepository,
    private readonly writes: TopicChoices,
    private readonly changes: LimitedChanges,
  ) {}

  @Handles(topicChoices.list)
  async list({ caller: { projectId }, body: { id } }: Incoming<ContactId>): Promise<ContactTopics> {
    await this.contacts.findOrFail(projectId, id);
    return { data: await this.choices.of(projectId, id) };
  }

  @Handles(topicChoices.put)
  put({ caller, body, deadline }: Incoming<ChooseTopicsOf>): Promise<ContactTopics> {
    const { projectId } = caller;
    return this.changes.run({ projectId, deadline }, async () => {
      const contact = await this.contacts.lockOrFail(projectId, body.id);
      const wanted = choicesIn(body.topics, await this.topics.shown(projectId));
      await this.writes.put(contact, wanted, { by: 'API', origin: requestedBy(caller) });
      return { data: await this.choices.of(projectId, contact.id) };
    });
  }

  @Handles(topicChoices.missing)
  async missing({
    caller: { projectId },
    body: { topicId, contactIds },
  }: Incoming<TopicAudience>): Promise<NotOptedIn> {
    return { contactIds: await this.choices.notOptedIn(projectId, topicId, contactIds) };
  }
}

/** By the ids of topics, which are `known` by their keys. */
function choicesIn(
  given: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, string>,
): Map<string, boolean> {
  const entries = Object.entries(given);
  const faults = entries.flatMap(([key, value]): InvalidMember[] => {
    const path = ['topics', key];
    if (!known.has(key)) return [{ path, code: 'not_found', message: 'must be a topic of this project' }];
    if (typeof value !== 'boolean') return [{ path, code: 'invalid_type', message: 'must be true or false' }];
    return [];
  });
  if (faults.length > 0) throw invalid(faults);
  return new Map(entries.map(([key, value]) => [known.get(key)!, value === true]));
}
