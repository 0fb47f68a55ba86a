import { Injectable } from '@nestjs/common';
import {
  defaultPageSize,
  mailHistory,
  serviceCaller,
  activity,
  type Activity,
  type ActivityPage,
  type ListActivity,
  type MailHistoryEvent,
} from '@posthorn/contracts';
import { toPage } from '@posthorn/database';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { ActivityReadModel, type ActivityQuery } from './activity.read-model.js';
import { activityOf, ContactHistoryRepository } from './contact-history.repository.js';

const time = { timeoutShare: 0.6 };

/** Merges the histories of a contact. Each source returns one item more than the page shows, from the same position on. */
@Injectable()
export class ActivityService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly activity: ActivityReadModel,
    private readonly history: ContactHistoryRepository,
    private readonly bus: Bus,
  ) {}

  @Handles(activity.list)
  async list({
    caller: { projectId },
    body: { id, limit = defaultPageSize, after },
  }: Incoming<ListActivity>): Promise<ActivityPage> {
    const contact = await this.contacts.findOrFail(projectId, id);
    const query = { contactId: id, limit: limit + 1, after };
    const found = await Promise.all([
      this.activity.events(projectId, query),
      this.activity.consents(projectId, query),
      this.history.page(projectId, query).then((rows) => rows.map(activityOf)),
      this.mail(projectId, contact.email, query),
    ]);
    const merged = found.flat().sort(newestFirst);
    const { items, ...end } = toPage(
      merged.map((item) => ({ id: item.id, createdAt: item.at, item })),
      { limit },
    );
    return { ...end, items: items.map(({ item }) => item) };
  }

  private async mail(projectId: string, email: string, { limit, after }: ActivityQuery): Promise<Activity[]> {
    const requested = { email, limit, ...(after ? { after } : {}) };
    const { items } = await this.bus.call(
      mailHistory.page,
      serviceCaller('contacts', projectId),
      requested,
      time,
    );
    return items.map(mailed);
  }
}

const newestFirst = (a: Activity, b: Activity): number =>
  b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1);

function mailed({ id, at, kind, emailId, subject, detail, link }: MailHistoryEvent): Activity {
  return {
    id,
    at,
    kind,
    data: { emailId, subject, ...(detail ? { detail } : {}), ...(link ? { link } : {}) },
  };
}
