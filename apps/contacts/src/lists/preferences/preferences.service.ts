import { Injectable } from '@nestjs/common';
import {
  mayNotReturn,
  preferences,
  type ChangedPreference,
  type ChangePreference,
  type Preferences,
  type PreferencesOf,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { originOf, type WriteOrigin } from '../../contacts/writes/contact-write.js';
import { LimitedChanges } from '../../contacts/writes/limited-changes.js';
import { TopicChoices } from '../../topics/topic-choices.service.js';
import { TopicsRepository } from '../../topics/topics.repository.js';
import { ListPreferences } from './list-preferences.js';
import { PreferencesReadModel } from './preferences.read-model.js';
import { SubscriberContacts } from '../subscriber-contacts.js';

/** To leave all marketing mail is `contacts.unsubscribe`. */
@Injectable()
export class PreferencesService {
  constructor(
    private readonly subscribers: SubscriberContacts,
    private readonly lists: ListPreferences,
    private readonly topics: TopicsRepository,
    private readonly choices: TopicChoices,
    private readonly changes: LimitedChanges,
    private readonly preferences: PreferencesReadModel,
  ) {}

  @Handles(preferences.look)
  look({ caller: { projectId }, body }: Incoming<PreferencesOf>): Promise<Preferences> {
    return this.preferences.of(projectId, body);
  }

  @Handles(preferences.change)
  change({ caller, body, deadline }: Incoming<ChangePreference>): Promise<ChangedPreference> {
    const { projectId } = caller;
    const origin = originOf(caller, 'UNSUBSCRIBE_PAGE');
    const { email, listId, topicId, subscribed } = body;
    const linkTarget = JSON.stringify([email, listId, topicId, subscribed]);
    return this.changes.run({ projectId, deadline, linkTarget }, async () => {
      if (topicId !== undefined) return { found: await this.choose(projectId, { ...body, topicId }, origin) };
      if (listId === undefined) return { found: await this.comeBack(projectId, email, origin) };
      return { found: await this.lists.change(projectId, { ...body, listId }, origin) };
    });
  }

  /** Unlike lists and all marketing mail, a topic may be turned on in any case (docs/decisions/0047-topics.md). */
  private async choose(
    projectId: string,
    { email, topicId, subscribed, by }: ChangePreference & { topicId: string },
    origin: WriteOrigin,
  ): Promise<boolean> {
    const contact = await this.subscribers.lockByEmail(projectId, email);
    if (!contact || !(await this.topics.find(projectId, topicId))) {
      if (subscribed) throw mayNotReturn();
      return false;
    }
    await this.choices.put(contact, new Map([[topicId, subscribed]]), { by, origin });
    return true;
  }

  /** The contact is locked, so that whatever changed last is what is looked at. */
  private async comeBack(projectId: string, email: string, origin: WriteOrigin): Promise<boolean> {
    const contact = await this.subscribers.lockByEmail(projectId, email);
    if (contact?.subscribed) return true;
    if (!contact || !(await this.preferences.mayReturn(projectId, contact.id))) throw mayNotReturn();
    await this.subscribers.change(contact, { subscribed: true }, origin);
    return true;
  }
}
