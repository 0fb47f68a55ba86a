import { ContactId } from './contacts.js';
import { event, query, request } from '../schema/contract.js';
import { DomainError } from '../common/errors.js';
import {
  Choice,
  Flag,
  FreeMap,
  Id,
  Ids,
  Instant,
  ListOf,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';

/** Topics that are not archived: a contact's own topics are not paginated. */
export const maxTopics = 100;
export const maxArchivedTopics = 900;
const topicKey = { pattern: /^[a-z0-9][a-z0-9_-]{0,63}$/, example: 'product-news' };

export class Topic {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  /** Unique in the project, and never changed. */
  @Text(1, 64, topicKey) key: string;
  @Text(1, 100) name: string;
  @Text(0, 500) @Nullable() description: string | null;
  /** Whether contacts who chose nothing get its campaigns. */
  @Flag() defaultOptIn: boolean;
  /** Hidden; new campaigns and choices cannot name it. */
  @Flag() archived: boolean;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

class TopicKey extends PickFields(Topic, ['key', 'name']) {}
class TopicName extends PickFields(Topic, ['name']) {}
class TopicSettings extends PickFields(Topic, ['description', 'defaultOptIn', 'archived']) {}

/** `defaultOptIn` is true by default. */
export class CreateTopic extends JoinFields(TopicKey, PartialFields(TopicSettings)) {}

export class UpdateTopic extends PartialFields(JoinFields(TopicName, TopicSettings)) {}

export class TopicId extends PickFields(Topic, ['id']) {}

export class UpdateTopicById extends JoinFields(TopicId, UpdateTopic) {}

export class TopicFilter {
  /** True: only those that are archived; they are left out by default. */
  @Flag() @Optional() archived?: boolean;
}

export class ListTopics extends JoinFields(PageQuery, TopicFilter) {}

export class TopicPage extends PageEnd {
  @ListOf(() => Topic, 0, 100) items: Topic[];
}

export const topics = {
  /** 409 if the key is taken, or the project has as many topics as it may. */
  create: request('contacts.topics.create', CreateTopic, Topic),
  get: query('contacts.topics.get', TopicId, Topic),
  list: query('contacts.topics.list', ListTopics, TopicPage),
  update: request('contacts.topics.update', UpdateTopicById, Topic),
};

export const choiceSources = ['API', 'PREFERENCE_PAGE', 'UNSUBSCRIBE_LINK'] as const;
export type ChoiceSource = (typeof choiceSources)[number];

export class ContactTopic {
  @Id() topicId: string;
  @Text(1, 64, topicKey) key: string;
  @Text(1, 100) name: string;
  @Flag() optedIn: boolean;
  /** DEFAULT where the contact chose nothing. */
  @Choice(['DEFAULT', ...choiceSources]) source: 'DEFAULT' | ChoiceSource;
  /** Of the choice; null where there is none. */
  @Instant() @Nullable() updatedAt: Date | null;
}

/** By name, without those that are archived. */
export class ContactTopics {
  @ListOf(() => ContactTopic, 0, maxTopics) data: ContactTopic[];
}

export class ChooseTopics {
  @FreeMap({
    max: 16 * 1024,
    example: { 'product-news': true, offers: false },
    describe:
      'Whether the contact is opted in, by the keys of topics; others are unchanged. An unknown key is 422, and nothing changes then',
  })
  topics: Record<string, unknown>;
}

export class ChooseTopicsOf extends JoinFields(ContactId, ChooseTopics) {}

export class TopicAudience {
  @Id() topicId: string;
  @Ids(1, 500) contactIds: string[];
}

export class NotOptedIn {
  @Ids(0, 500) contactIds: string[];
}

export const topicChoices = {
  /** 404 for an unknown contact. */
  list: query('contacts.topicChoices.list', ContactId, ContactTopics),
  /** All or nothing; each change has a consent. */
  put: request('contacts.topicChoices.put', ChooseTopicsOf, ContactTopics),
  /** Those who are not opted in, or no longer contacts. */
  missing: query('contacts.topicChoices.missing', TopicAudience, NotOptedIn),
};

export class TopicEvent {
  @Id() topicId: string;
  @Instant() at: Date;
}

export class TopicChosen {
  @Id() contactId: string;
  @Id() topicId: string;
  @Flag() optedIn: boolean;
  @Instant() at: Date;
}

export const topicEvents = {
  changed: event('contacts.topic.changed', TopicEvent, 'A topic was created or edited.'),
};

export const topicChoiceEvents = {
  chosen: event('contacts.topic.chosen', TopicChosen, 'A contact was opted in to a topic, or out of it.'),
};

export const topicNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such topic');
export const topicKeyTaken = () =>
  new DomainError('conflict', 'conflict', 'A topic with this key already exists');
export const tooManyTopics = () =>
  new DomainError(
    'conflict',
    'conflict',
    `A project has at most ${maxTopics} topics that are not archived, and ${maxArchivedTopics} that are`,
  );
