import { isNativeError } from 'node:util/types';
import { Injectable } from '@nestjs/common';
import { eventContactUnknown, outcomeUnknown, unavailable } from '@posthorn/contracts';
import { DatabaseClock, mayHaveCommitted } from '@posthorn/database';
import { bisect, Gatherer } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import {
  earliestOf,
  inOrder,
  keyOf,
  type ContactWrite,
  type WrittenContact,
} from '../contacts/writes/contact-write.js';
import { ContactWrites } from '../contacts/writes/contact-writes.js';
import { ProjectLanes } from '../contacts/writes/project-lanes.js';
import { EventsRepository, maxEventsAtOnce, type NewEvent } from './events.repository.js';
import { TracksRepository, type Track } from './tracks.repository.js';

export interface EventDraft extends Omit<NewEvent, 'contactId'> {
  contact: string | ContactWrite;
}

export interface RecordedEvent {
  contactId: string;
  at: Date;
}

type Recorded = RecordedEvent | Error;

const maxItems = Math.min(128, maxEventsAtOnce);
const maxBytes = 8 * 1024 * 1024;

const sizeOf = ({ payload }: EventDraft): number => JSON.stringify(payload).length;
const bounds = { maxItems, maxBytes, sizeOf };

/** Events that arrive during a commit share the next one, with the contacts that they create or change. */
@Injectable()
export class RecordEvents {
  private readonly ordinary = new ProjectLanes<EventDraft, RecordedEvent>({
    ...bounds,
    flush: (drafts, timeout) => this.commit(drafts, timeout),
  });
  // Opt-outs wait for a call to sending, which must not delay the other events.
  private readonly optingOut = new Gatherer<EventDraft, RecordedEvent>({
    ...bounds,
    flush: (drafts) => this.commit(drafts),
    inFlight: 4,
  });
  /** Whether contacts changed in the batch before, which the next one usually repeats: checking first costs as much as the statement that it may save. */
  private contactsChange = false;

  constructor(
    private readonly events: EventsRepository,
    private readonly tracks: TracksRepository,
    private readonly writes: ContactWrites,
    private readonly commits: Commits,
    private readonly clock: DatabaseClock,
  ) {}

  submit(draft: EventDraft): Promise<RecordedEvent> {
    return (optsOut(draft) ? this.optingOut : this.ordinary).submit(draft);
  }

  /** In the ambient transaction, in which a write locks its contact, changed or not. */
  async record(drafts: EventDraft[], timeout?: string): Promise<Recorded[]> {
    const contacts = await this.writes.write(contactsOf(drafts), { timeout });
    const found = await this.insert(drafts, contacts, timeout);
    return found.map((outcome) => outcome ?? eventContactUnknown());
  }

  private async commit(drafts: EventDraft[], timeout?: string, isRest = false): Promise<Recorded[]> {
    if (drafts.length === 0) return [];
    return bisect(
      drafts,
      (part) => this.commitOnce(part, timeout, isRest && part.length === drafts.length),
      (part, error) => part.map(() => error),
    );
  }

  private async commitOnce(
    drafts: EventDraft[],
    timeout: string | undefined,
    isRest: boolean,
  ): Promise<Recorded[]> {
    if (drafts.some(optsOut)) return this.inTransaction(drafts, timeout);
    const unchanged = isRest || !this.contactsChange ? await this.writes.unchanged(contactsOf(drafts)) : null;
    if (unchanged) {
      return this.publishing(async () =>
        this.withoutDeleted(drafts, await this.insert(drafts, unchanged, timeout), timeout),
      );
    }
    if (isRest) return this.inTransaction(drafts, timeout);
    const tracked = await this.track(drafts, timeout);
    // The tracked ones have committed, whatever happens to the rest.
    const rest = drafts.filter(({ id }) => !tracked.has(id));
    const others = (await this.commit(rest, timeout, true)).values();
    return drafts.map(({ id }) => tracked.get(id) ?? others.next().value!);
  }

  /** Contacts that change with their events: one statement for the first event of each address. Returns the recorded ones by event id. */
  private async track(
    drafts: EventDraft[],
    timeout: string | undefined,
  ): Promise<Map<string, RecordedEvent>> {
    const first = new Map<string, Track>();
    for (const { contact, deadline, ...event } of drafts) {
      if (typeof contact !== 'string' && !first.has(keyOf(contact)))
        first.set(keyOf(contact), { event, contact: { ...contact, deadline } });
    }
    const byWrite = new Map([...first.values()].map((track) => [track.contact, track]));
    const tracks = inOrder([...byWrite.keys()]).map((contact) => byWrite.get(contact)!);
    if (tracks.length === 0) return new Map();
    const tracked = await this.publishing(() => this.tracks.write(tracks, timeout ?? null));
    this.contactsChange = tracked.size > 0;
    return tracked;
  }

  private inTransaction(drafts: EventDraft[], timeout?: string): Promise<Recorded[]> {
    const timeless = drafts.map((draft) => ({ ...draft, deadline: null }));
    return this.commits.before(earliestOf(drafts), () => this.record(timeless, timeout));
  }

  private async publishing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw mayHaveCommitted(error) ? outcomeUnknown() : error;
    }
  }

  /** A contact that was deleted after the check, which takes no lock, is created again where the event names it by address; by id it is unknown. */
  private async withoutDeleted(
    drafts: EventDraft[],
    found: (Recorded | null)[],
    timeout?: string,
  ): Promise<Recorded[]> {
    const removed = drafts.filter(
      ({ contact }, index) => found[index] === null && typeof contact !== 'string',
    );
    const recorded = await this.commit(removed, timeout);
    const byDraft = new Map(removed.map((draft, index) => [draft, recorded[index]!]));
    return found.map((outcome, index) => outcome ?? byDraft.get(drafts[index]!) ?? eventContactUnknown());
  }

  private async insert(
    drafts: EventDraft[],
    contacts: WrittenContact[],
    timeout?: string,
  ): Promise<(Recorded | null)[]> {
    const next = contacts.values();
    const ready = drafts.map(({ contact, ...event }): NewEvent | Error => {
      if (typeof contact === 'string') return { ...event, contactId: contact };
      const { contact: found, error } = next.next().value!;
      return found ? { ...event, contactId: found.id } : error!;
    });
    const events = ready.flatMap((each) => (isNativeError(each) ? [] : [each]));
    const instants = events.length > 0 ? await this.events.insert(events, timeout) : new Map<string, Date>();
    const now = await this.clock.now();
    return ready.map((each) => {
      if (isNativeError(each)) return each;
      const at = instants.get(each.id);
      if (at) return { contactId: each.contactId, at };
      return each.deadline && now >= each.deadline
        ? unavailable('The deadline of the request has passed')
        : null;
    });
  }
}

const contactsOf = (drafts: EventDraft[]): ContactWrite[] =>
  drafts.flatMap(({ contact, deadline }) => (typeof contact === 'string' ? [] : [{ ...contact, deadline }]));

const optsOut = ({ contact }: EventDraft): boolean =>
  typeof contact !== 'string' && contact.subscribed === false;
