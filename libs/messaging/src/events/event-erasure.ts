import type { EraseAddress, ServiceName } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { BusConnection } from '../calls/connection.js';
import { addressesIn, anyOf, withoutAddresses } from './erased-text.js';
import { EventErasureRepository } from './event-erasure.repository.js';
import { ErasingStream, eventOf, type StreamPosition } from './erasing-stream.js';
import type { WireEvent } from '../calls/frames.js';
import { Gatherer } from '../calls/gatherer.js';

export interface ErasedPerson extends Pick<EraseAddress, 'erasureId' | 'email'> {
  projectId: string;
}

const first = '00000000-0000-0000-0000-000000000000';
const maxGathered = 64;
const lingerMs = 5;
const [eventsAtOnce, rewrittenAtOnce, messagesAtOnce] = [10_000, 1_000, 2_000];
/** Bounds the memory; the scan of a person who is dropped begins again. */
const maxErasures = 100_000;

type Progress = { outbox: string } | { stream: StreamPosition };

/** Outbox first: once it is rewritten, the address is not published again; then stream and dead letters.
 * All erasures share one scan in bounded pieces, the furthest first; its progress is only in memory. */
export class EventErasure {
  private readonly repository: EventErasureRepository;
  private readonly stream: ErasingStream;
  private readonly progress = new Map<string, Progress>();
  private readonly gatherer = new Gatherer<ErasedPerson, boolean>({
    flush: (people) => this.erasePiece(people),
    maxItems: maxGathered,
    inFlight: 1,
    lingerMs,
  });

  constructor(
    private readonly database: Database,
    service: ServiceName,
    connection: BusConnection,
  ) {
    this.repository = new EventErasureRepository(database);
    this.stream = new ErasingStream(service, connection);
  }

  erase(person: ErasedPerson): Promise<boolean> {
    return this.gatherer.submit(person);
  }

  /** Dead letters are written last, so they are checked last. */
  async eraseLetters(people: readonly ErasedPerson[]): Promise<boolean> {
    const { projectIds, pattern, of } = searchFor(people);
    return this.database.transaction(async () => {
      const letters = await this.repository.lockLetters(projectIds, pattern, rewrittenAtOnce);
      const rewritten = letters.map((letter) => ({
        ...letter,
        ...withoutAddresses({ payload: letter.payload, error: letter.error }, of(letter.projectId)),
      }));
      if (rewritten.length > 0) await this.repository.rewriteLetters(rewritten);
      return letters.length < rewrittenAtOnce;
    });
  }

  private async erasePiece(people: ErasedPerson[]): Promise<boolean[]> {
    const inOutbox = this.furthest(people, (progress) => ('outbox' in progress ? progress.outbox : null));
    if (inOutbox.length > 0) await this.eraseFromOutbox(inOutbox);
    const inStream = this.furthest(people, (progress) =>
      'stream' in progress ? progress.stream.after : null,
    );
    const done =
      inStream.length > 0 && (await this.eraseFromStream(inStream)) ? new Set(inStream) : new Set();
    return people.map((person) => done.has(person) && this.progress.delete(person.erasureId));
  }

  private async eraseFromOutbox(people: ErasedPerson[]): Promise<void> {
    const { projectIds, pattern, of } = searchFor(people);
    const after = (this.progressOf(people[0]!) as { outbox: string }).outbox;
    const end = await this.repository.lastOfNext(after, eventsAtOnce);
    const reached = await this.database.transaction(async () => {
      const events = await this.repository.lockEvents(projectIds, pattern, after, end, rewrittenAtOnce);
      const rewritten = events.map((event) => ({
        ...event,
        items: withoutAddresses(event.items, of(event.projectId)),
      }));
      if (rewritten.length > 0) await this.repository.rewriteEvents(rewritten);
      return events.length < rewrittenAtOnce ? end : events.at(-1)!.id;
    });
    const stream = reached === null ? await this.stream.begin() : null;
    for (const person of people)
      this.keep(person, reached === null ? { stream: stream! } : { outbox: reached });
  }

  private async eraseFromStream(people: ErasedPerson[]): Promise<boolean> {
    const { of, any } = searchFor(people);
    const positions = people.map((person) => (this.progressOf(person) as { stream: StreamPosition }).stream);
    const from = { after: positions[0]!.after, last: Math.max(...positions.map(({ last }) => last)) };
    const next = await this.stream.next(from, messagesAtOnce, (text) =>
      any.test(text) ? rewrite(text, of) : null,
    );
    for (const person of people) this.keep(person, { stream: next ?? from });
    return next === null && this.eraseLetters(people);
  }

  private furthest<Position extends string | number>(
    people: ErasedPerson[],
    positionOf: (progress: Progress) => Position | null,
  ): ErasedPerson[] {
    const located = people.flatMap((person) => {
      const position = positionOf(this.progressOf(person));
      return position === null ? [] : [{ person, position }];
    });
    const last = located.reduce<Position | null>(
      (most, { position }) => (most === null || position > most ? position : most),
      null,
    );
    return located.filter(({ position }) => position === last).map(({ person }) => person);
  }

  private progressOf({ erasureId }: ErasedPerson): Progress {
    return this.progress.get(erasureId) ?? { outbox: first };
  }

  private keep({ erasureId }: ErasedPerson, progress: Progress): void {
    this.progress.set(erasureId, progress);
    if (this.progress.size > maxErasures) this.progress.delete(this.progress.keys().next().value!);
  }
}

function searchFor(people: readonly ErasedPerson[]) {
  const byProject = Map.groupBy(people, ({ projectId }) => projectId);
  const patterns = new Map(
    [...byProject].map(([projectId, group]) => [projectId, addressesIn(group.map(({ email }) => email))]),
  );
  const pattern = anyOf([...new Set(people.map(({ email }) => email))]);
  return {
    projectIds: [...byProject.keys()],
    pattern,
    any: new RegExp(pattern, 'iu'),
    of: (projectId: string) => patterns.get(projectId)!,
  };
}

function rewrite(text: string, of: (projectId: string) => RegExp | undefined): WireEvent | null {
  const event = eventOf(text);
  const addresses = event && of(event.projectId);
  if (!addresses) return null;
  const items = withoutAddresses(event.items, addresses);
  return JSON.stringify(items) === JSON.stringify(event.items) ? null : { ...event, items };
}
