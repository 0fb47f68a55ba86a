import { Injectable } from '@nestjs/common';
import {
  counters,
  mailFacts,
  maxFactMails,
  rebuiltMeanwhile,
  serviceCaller,
  noProject,
  subscriberOf,
  summariesDead,
  type MailFact,
  type MailFacts,
  type RebuildCounters,
  type RebuildPosition,
  type RebuiltReadModel,
} from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { CountDeltas } from '../mail-counts/count-deltas.repository.js';
import { CountedRows, type MailItem } from '../mail-counts/counted.js';
import { CountRebuilds } from './count-rebuilds.repository.js';

const noId = '00000000-0000-0000-0000-000000000000';
const callTimeoutMs = 15_000;
const foldedAtOnce = 5_000;

/**
 * Counts the e-mails of each project again, in steps and while everything runs. A step holds back the events of its project: those
 * before it are in the page that it reads, or subtracted as under way; those after it count twice, here and there
 * (docs/decisions/0046-counters.md).
 */
@Injectable()
export class RebuildsService {
  constructor(
    private readonly database: Database,
    private readonly deltas: CountDeltas,
    private readonly rebuilds: CountRebuilds,
    private readonly bus: Bus,
  ) {}

  /** A position without an e-mail is that of a finished project. */
  @Handles(counters.rebuild)
  async rebuild({ body: { after } }: Incoming<RebuildCounters>): Promise<RebuiltReadModel> {
    if (await this.rebuilds.hasDeadLetters()) throw summariesDead();
    if (after && after.id !== noId) return this.step(after);
    const projectId = await this.projectAfter(after?.projectId ?? noId);
    if (!projectId) return { compared: 0, repaired: 0, next: null };
    await this.begin(projectId);
    return this.step({ projectId, id: noId });
  }

  private async projectAfter(after: string): Promise<string | null> {
    const caller = serviceCaller('analytics', noProject);
    const [counted, { projectId: stored }] = await Promise.all([
      this.rebuilds.projectAfter(after),
      this.bus.call(mailFacts.projects, caller, { after }, { timeoutMs: callTimeoutMs }),
    ]);
    return [counted, stored].filter((id) => id !== null).sort()[0] ?? null;
  }

  /** What a rebuild that was left has counted is forgotten. */
  private begin(projectId: string): Promise<void> {
    return this.database.transaction(async () => {
      await this.deltas.holdRebuild(projectId);
      await this.deltas.holdFold(projectId);
      await this.rebuilds.begin(projectId);
    });
  }

  private step({ projectId, id }: RebuildPosition): Promise<RebuiltReadModel> {
    return this.database.transaction(async () => {
      await this.deltas.holdRebuild(projectId);
      if ((await this.rebuilds.positionOf(projectId)) !== id) throw rebuiltMeanwhile();
      const caller = serviceCaller('analytics', projectId);
      const page = await this.bus.call(
        mailFacts.page,
        caller,
        { after: id, limit: maxFactMails },
        { timeoutMs: callTimeoutMs },
      );
      if (page.next === null)
        return { compared: 0, repaired: await this.finish(projectId), next: { projectId, id: noId } };
      await this.count(projectId, page);
      await this.rebuilds.moveTo(projectId, page.next);
      return { compared: page.mails, repaired: 0, next: { projectId, id: page.next } };
    });
  }

  private async count(projectId: string, { facts, underWay }: MailFacts): Promise<void> {
    const taken = await this.rebuilds.takenAmong(
      underWay.map(({ eventId, fact }) => ({ eventId, subscriber: subscriberOfEvent(fact.event) })),
    );
    const rows = new CountedRows();
    for (const fact of facts) rows.add(fact.event, itemOf(fact));
    for (const { eventId, fact } of underWay) if (!taken.has(eventId)) rows.add(fact.event, itemOf(fact), -1);
    await this.deltas.insert(
      projectId,
      rows.list().map((row) => ({ ...row, live: false, rebuilt: true })),
    );
  }

  private async finish(projectId: string): Promise<number> {
    while ((await this.deltas.fold(projectId, foldedAtOnce)) > 0);
    return this.rebuilds.exchange(projectId);
  }
}

const itemOf = ({ item }: MailFact): MailItem =>
  ({ ...item, at: new Date(item['at'] as string) }) as unknown as MailItem;

/** As `OnEachEvent` names it. */
const subscriberOfEvent = (event: string): string =>
  subscriberOf('analytics', `counts-${event.replace(/[._]/g, '-')}`);
