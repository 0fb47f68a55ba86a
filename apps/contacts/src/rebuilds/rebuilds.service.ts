import { Injectable } from '@nestjs/common';
import {
  mailSummaries,
  maxSummarizedAddresses,
  serviceCaller,
  summariesBusy,
  summariesDead,
  readModels,
  type RebuildPosition,
  type RebuildReadModel,
  type RebuiltModel,
  type RebuiltReadModel,
} from '@posthorn/contracts';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { CountRebuilds } from './count-rebuilds.repository.js';
import { EventSummaryRebuilds } from './event-summary-rebuilds.repository.js';
import { MailSummaryRebuilds } from './mail-summary-rebuilds.repository.js';
import { firstPosition, RebuildPositions, type ContactPosition } from './rebuild-positions.repository.js';

const countsPerStep = 50;
const contactsPerStep = maxSummarizedAddresses;
const callTimeoutMs = 15_000;

type Step = (after: RebuildPosition) => Promise<RebuiltReadModel>;

/** Rebuilds read models from the rows that they are derived from, in bounded steps and without stopping the service. */
@Injectable()
export class RebuildsService {
  private readonly steps: Record<RebuiltModel, Step>;

  constructor(
    private readonly positions: RebuildPositions,
    private readonly counts: CountRebuilds,
    private readonly events: EventSummaryRebuilds,
    private readonly mail: MailSummaryRebuilds,
    private readonly bus: Bus,
  ) {
    this.steps = {
      contacts: (after) =>
        this.ofProject(after, ['contacts', 'contact_counts'], (id) => this.counts.contacts(id)),
      events: (after) =>
        this.ofProject(after, ['events', 'event_names', 'event_days'], (id) => this.counts.events(id)),
      lists: (after) => this.ofRows('lists', after, (key) => this.counts.list(key)),
      segments: (after) => this.ofRows('segments', after, (key) => this.counts.segment(key)),
      event_summaries: (after) => this.ofEvents(after),
      mail_summaries: (after) => this.ofMail(after),
    };
  }

  @Handles(readModels.rebuild)
  rebuild({ body: { model, after = firstPosition } }: Incoming<RebuildReadModel>): Promise<RebuiltReadModel> {
    return this.steps[model](after);
  }

  private async ofProject(
    after: RebuildPosition,
    tables: string[],
    repair: (projectId: string) => Promise<number>,
  ): Promise<RebuiltReadModel> {
    const projectId = await this.positions.project(tables, after);
    if (!projectId) return { compared: 0, repaired: 0, next: null };
    return { compared: 1, repaired: await repair(projectId), next: { projectId, id: firstPosition.id } };
  }

  private async ofRows(
    table: 'lists' | 'segments',
    after: RebuildPosition,
    repair: (key: RebuildPosition) => Promise<number>,
  ): Promise<RebuiltReadModel> {
    const rows = await this.positions.rows(table, after, countsPerStep);
    let repaired = 0;
    for (const row of rows) repaired += await repair(row);
    return { compared: rows.length, repaired, next: rows.at(-1) ?? null };
  }

  private async ofEvents(after: RebuildPosition): Promise<RebuiltReadModel> {
    const contacts = await this.positions.contacts(after, contactsPerStep);
    const [first] = contacts;
    if (!first) return { compared: 0, repaired: 0, next: null };
    const repaired = await this.events.repair(
      first.projectId,
      contacts.map(({ id }) => id),
    );
    return { compared: contacts.length, repaired, next: following(contacts) };
  }

  /** A step whose contacts are written meanwhile is repeated with half of them. */
  private async ofMail(after: RebuildPosition): Promise<RebuiltReadModel> {
    if (await this.mail.hasDeadLetters()) throw summariesDead();
    for (let limit = contactsPerStep; limit >= 1; limit >>= 1) {
      const contacts = await this.positions.contacts(after, limit);
      if (contacts.length === 0) return { compared: 0, repaired: 0, next: null };
      const repaired = await this.repairMail(contacts);
      if (repaired !== null) return { compared: contacts.length, repaired, next: following(contacts) };
    }
    throw summariesBusy();
  }

  private async repairMail(contacts: readonly ContactPosition[]): Promise<number | null> {
    const before = await this.mail.fingerprint(contacts);
    const caller = serviceCaller('contacts', contacts[0]!.projectId);
    const emails = contacts.map(({ email }) => email);
    const { items, underWay } = await this.bus.call(
      mailSummaries.of,
      caller,
      { emails },
      { timeoutMs: callTimeoutMs },
    );
    return this.mail.repair(contacts, before, items, underWay);
  }
}

function following(contacts: readonly ContactPosition[]): RebuildPosition {
  const { projectId, id } = contacts.at(-1)!;
  return { projectId, id };
}
