import { isNativeError } from 'node:util/types';
import { Injectable } from '@nestjs/common';
import { eventContactUnknown, outcomeUnknown, unavailable } from '@posthorn/contracts';
import { DatabaseClock, isOutcomeUnknown } from '@posthorn/database';
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

/** An event whose contact is known by its id, or becomes known with it. */
export interface EventDraft extends Omit<NewEvent, 'contactId'> {
  contact: string | ContactWrite;
}

export interface RecordedEvent {
  contactId: string;
  at: Date;
}

type Outcome = RecordedEvent | Error;

const maxItems = Math.min(128, maxEventsAtOnce);
const maxBytes = 8 * 1024 * 1024;

const sizeOf = ({ payload }: EventDraft): number => JSON.stringify(payload).length;
const bounds = { maxItems, maxBytes, sizeOf };

/** Events are recorded as mail is accepted: whatever arrived meanwhile is one commit, with the contacts that it makes or changes. */
@Injectable()
export class RecordEvents {
  private readonly ordinary = new ProjectLanes<EventDraft, RecordedEvent>({
    ...bounds,
    flush: (drafts, timeouts) => this.commit(drafts, timeouts),
  });
  // They wait for sending, while the others go on.
  private readonly leaving = new Gatherer<EventDraft, RecordedEvent>({
    ...bounds,
    flush: (drafts) => this.commit(drafts),
    inFlight: 4,
  });
  /** Whether somebody did in the batch before: most of the time the next is like it. A look costs as much as the statement that it may spare. */
  private contactsChange = false;

  constructor(
    private readonly events: EventsRepository,
    private readonly tracks: TracksRepository,
    private readonly writes: ContactWrites,
    private readonly commits: Commits,
    private readonly clock: DatabaseClock,
  ) {}

  submit(draft: EventDraft): Promise<RecordedEvent> {
    return (optsOut(draft) ? this.leaving : this.ordinary).submit(draft);
  }

  /** In the ambient transaction, in which a write holds its contact, changed or not. */
  async record(drafts: EventDraft[], timeouts?: string): Promise<Outcome[]> {
    const found = await this.insert(
      drafts,
      await this.writes.write(contactsOf(drafts), { timeouts }),
      timeouts,
    );
    return found.map((outcome) => outcome ?? eventContactUnknown());
  }

  private async commit(drafts: EventDraft[], timeouts?: string, isRest = false): Promise<Outcome[]> {
    if (drafts.length === 0) return [];
    return bisect(
      drafts,
      (part) => this.commitOnce(part, timeouts, isRest && part.length === drafts.length),
      (part, error) => part.map(() => error),
    );
  }

  private async commitOnce(
    drafts: EventDraft[],
    timeouts: string | undefined,
    isRest: boolean,
  ): Promise<Outcome[]> {
    if (drafts.some(optsOut)) return this.inTransaction(drafts, timeouts);
    const unchanged = isRest || !this.contactsChange ? await this.writes.unchanged(contactsOf(drafts)) : null;
    if (unchanged) {
      return this.publishing(async () =>
        this.withoutDeleted(drafts, await this.insert(drafts, unchanged, timeouts), timeouts),
      );
    }
    if (isRest) return this.inTransaction(drafts, timeouts);
    const tracked = await this.track(drafts, timeouts);
    // These are there: whatever becomes of the others is none of theirs.
    const rest = drafts.filter(({ id }) => !tracked.has(id));
    const others = (await this.commit(rest, timeouts, true)).values();
    return drafts.map(({ id }) => tracked.get(id) ?? others.next().value!);
  }

  /** Contacts that change with what they did: one statement. Of each address the first; answers those that landed, by the event's id. */
  private async track(
    drafts: EventDraft[],
    timeouts: string | undefined,
  ): Promise<Map<string, RecordedEvent>> {
    const first = new Map<string, Track>();
    for (const { contact, deadline, ...event } of drafts) {
      if (typeof contact !== 'string' && !first.has(keyOf(contact)))
        first.set(keyOf(contact), { event, contact: { ...contact, deadline } });
    }
    const byWrite = new Map([...first.values()].map((track) => [track.contact, track]));
    const tracks = inOrder([...byWrite.keys()]).map((contact) => byWrite.get(contact)!);
    if (tracks.length === 0) return new Map();
    const tracked = await this.publishing(() => this.tracks.write(tracks, timeouts ?? null));
    this.contactsChange = tracked.size > 0;
    return tracked;
  }

  private inTransaction(drafts: EventDraft[], timeouts?: string): Promise<Outcome[]> {
    const timeless = drafts.map((draft) => ({ ...draft, deadline: null }));
    return this.commits.before(earliestOf(drafts), () => this.record(timeless, timeouts));
  }

  /** Of what commits by itself. */
  private async publishing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw isOutcomeUnknown(error) ? outcomeUnknown() : error;
    }
  }

  /**
   * Whoever was there at the look, which holds nobody, and deleted before the event comes to be anew: the call asked for that, and is no older than the deletion.
   * Whoever is meant by their id is unknown.
   */
  private async withoutDeleted(
    drafts: EventDraft[],
    found: (Outcome | null)[],
    timeouts?: string,
  ): Promise<Outcome[]> {
    const removed = drafts.filter(
      ({ contact }, index) => found[index] === null && typeof contact !== 'string',
    );
    // The others' events are there: whatever becomes of these is none of theirs.
    const made = await this.commit(removed, timeouts);
    const byDraft = new Map(removed.map((draft, index) => [draft, made[index]!]));
    return found.map((outcome, index) => outcome ?? byDraft.get(drafts[index]!) ?? eventContactUnknown());
  }

  /** Null for an event of no contact. */
  private async insert(
    drafts: EventDraft[],
    contacts: WrittenContact[],
    timeouts?: string,
  ): Promise<(Outcome | null)[]> {
    const next = contacts.values();
    const ready = drafts.map(({ contact, ...event }): NewEvent | Error => {
      if (typeof contact === 'string') return { ...event, contactId: contact };
      const { contact: found, error } = next.next().value!;
      return found ? { ...event, contactId: found.id } : error!;
    });
    const events = ready.flatMap((each) => (isNativeError(each) ? [] : [each]));
    const instants = events.length > 0 ? await this.events.insert(events, timeouts) : new Map<string, Date>();
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
