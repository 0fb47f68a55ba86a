import { Injectable } from '@nestjs/common';
import {
  maxArchivedTopics,
  maxTopics,
  tooManyTopics,
  topicEvents,
  topicKeyTaken,
  topics,
  type CreateTopic,
  type ListTopics,
  type Topic,
  type TopicId,
  type TopicPage,
  type UpdateTopicById,
} from '@posthorn/contracts';
import { newId, pageWithTotal } from '@posthorn/database';
import { Handles, Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { TopicRow } from './topic.entity.js';
import { TopicsRepository } from './topics.repository.js';

@Injectable()
export class TopicsService {
  constructor(
    private readonly topics: TopicsRepository,
    private readonly outbox: Outbox,
    private readonly commits: Commits,
  ) {}

  @Handles(topics.create)
  async create({ caller: { projectId }, body, deadline }: Incoming<CreateTopic>): Promise<Topic> {
    const draft = Object.assign(new TopicRow(), {
      projectId,
      id: newId(),
      key: body.key,
      name: body.name,
      description: body.description ?? null,
      defaultOptIn: body.defaultOptIn ?? true,
      archived: body.archived ?? false,
    });
    const row = await this.commits.before(deadline, async () => {
      await this.topics.lockAll(projectId);
      if (await this.topics.isKeyTaken(projectId, draft.key)) throw topicKeyTaken();
      return this.publish(await this.limited(await this.topics.add(draft)));
    });
    return row.toTopic();
  }

  @Handles(topics.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<TopicId>): Promise<Topic> {
    return (await this.topics.findOrFail(projectId, id)).toTopic();
  }

  @Handles(topics.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListTopics>): Promise<TopicPage> {
    const page = await pageWithTotal(query, this.topics.list(projectId, query), () =>
      this.topics.countMatches(projectId, query),
    );
    return { ...page, items: page.items.map((row) => row.toTopic()) };
  }

  @Handles(topics.update)
  async update({ caller: { projectId }, body, deadline }: Incoming<UpdateTopicById>): Promise<Topic> {
    const { id, ...changes } = body;
    const row = await this.commits.before(deadline, async () => {
      await this.topics.lockAll(projectId);
      const locked = await this.topics.lockOrFail(projectId, id);
      const { archived } = locked;
      if (!locked.change(changes)) return locked;
      const saved = await this.topics.save(locked);
      return this.publish(saved.archived === archived ? saved : await this.limited(saved));
    });
    return row.toTopic();
  }

  private async limited(row: TopicRow): Promise<TopicRow> {
    const { projectId, archived } = row;
    const { total } = await this.topics.countMatches(projectId, { archived });
    if (total > (archived ? maxArchivedTopics : maxTopics)) throw tooManyTopics();
    return row;
  }

  private async publish(row: TopicRow): Promise<TopicRow> {
    await this.outbox.publish(topicEvents.changed, row.projectId, [row.toEvent()]);
    return row;
  }
}
