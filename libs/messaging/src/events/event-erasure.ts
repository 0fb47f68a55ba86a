import type { EraseAddress, ServiceName } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { BusConnection } from '../calls/connection.js';
import { addressesIn, anyOf, withoutAddresses } from './erased-text.js';
import { EventErasureRepository } from './erasing-facts.repository.js';
import { ErasingStream, eventOf, type StreamPosition } from './erasing-stream.js';
import type { WireEvent } from '../calls/frames.js';
import { Gatherer } from '../calls/gatherer.js';

/** Whose address; of the same erasure each time. */
export interface ErasedPerson extends Pick<EraseAddress, 'erasureId' | 'email'> {
  projectId: string;
}

const first = '00000000-0000-0000-0000-000000000000';
const maxGathered = 64;
const lingerMs = 5;
const [eventsAtOnce, rewrittenAtOnce, messagesAtOnce] = [10_000, 1_000, 2_000];
/** Whoever is forgotten is looked for from the start. */
const maxUnderWay = 100_000;

/** How far the look for one address came: through the outbox, then through the stream. */
type Progress = { outbox: string } | { stream: StreamPosition };

/**
 * Takes addresses out of everything that the messaging of a service keeps: the outbox, the copies in its stream, dead letters. In this order:
 * once the outbox holds an address no more, nobody publishes it again. All that are asked for meanwhile are looked for in one pass, a piece of
 * it each time; how far it came is only known to the process, and found again where that is lost. Who came furthest goes first: whoever is new
 * waits for them, so that nobody is kept from the end by those who come later.
 */
export class EventErasure {
  private readonly repository: EventErasureRepository;
  private readonly stream: ErasingStream;
  private readonly underWay = new Map<string, Progress>();
  private readonly gatherer = new Gatherer<ErasedPerson, boolean>({
    flush: (people) => this.piece(people),
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

  /** Does a bounded piece; answers whether nothing is left of it. */
  erase(person: ErasedPerson): Promise<boolean> {
    return this.gatherer.submit(person);
  }

  /** Dead letters alone, which are the last to come. */
  async eraseLetters(people: readonly ErasedPerson[]): Promise<boolean> {
    const { projectIds, words: texts, of } = checked(people);
    return this.database.transaction(async () => {
      const letters = await this.repository.lockLetters(projectIds, texts, rewrittenAtOnce);
      const rewritten = letters.map((letter) => ({
        ...letter,
        ...withoutAddresses({ payload: letter.payload, error: letter.error }, of(letter.projectId)),
      }));
      if (rewritten.length > 0) await this.repository.rewriteLetters(rewritten);
      return letters.length < rewrittenAtOnce;
    });
  }

  private async piece(people: ErasedPerson[]): Promise<boolean[]> {
    const inOutbox = this.furthest(people, (progress) => ('outbox' in progress ? progress.outbox : null));
    if (inOutbox.length > 0) await this.pieceOfOutbox(inOutbox);
    // Where there is little, one call does both.
    const inStream = this.furthest(people, (progress) =>
      'stream' in progress ? progress.stream.after : null,
    );
    const done = inStream.length > 0 && (await this.pieceOfStream(inStream)) ? new Set(inStream) : new Set();
    return people.map((person) => done.has(person) && this.underWay.delete(person.erasureId));
  }

  private async pieceOfOutbox(people: ErasedPerson[]): Promise<void> {
    const { projectIds, words: texts, of } = checked(people);
    const after = (this.progressOf(people[0]!) as { outbox: string }).outbox;
    const end = await this.repository.lastOfNext(after, eventsAtOnce);
    const reached = await this.database.transaction(async () => {
      const events = await this.repository.lockEvents(projectIds, texts, after, end, rewrittenAtOnce);
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

  /** Answers whether it came to the end. */
  private async pieceOfStream(people: ErasedPerson[]): Promise<boolean> {
    const { of, any } = checked(people);
    const positions = people.map((person) => (this.progressOf(person) as { stream: StreamPosition }).stream);
    const from = { after: positions[0]!.after, last: Math.max(...positions.map(({ last }) => last)) };
    const next = await this.stream.next(from, messagesAtOnce, (text) =>
      any.test(text) ? rewrite(text, of) : null,
    );
    for (const person of people) this.keep(person, { stream: next ?? from });
    return next === null && this.eraseLetters(people);
  }

  /** Those at the place that is furthest of all. */
  private furthest<Position extends string | number>(
    people: ErasedPerson[],
    locationOf: (progress: Progress) => Position | null,
  ): ErasedPerson[] {
    const located = people.flatMap((person) => {
      const location = locationOf(this.progressOf(person));
      return location === null ? [] : [{ person, place: location }];
    });
    const last = located.reduce<Position | null>(
      (most, { place: location }) => (most === null || location > most ? location : most),
      null,
    );
    return located.filter(({ place: location }) => location === last).map(({ person }) => person);
  }

  private progressOf({ erasureId }: ErasedPerson): Progress {
    return this.underWay.get(erasureId) ?? { outbox: first };
  }

  private keep({ erasureId }: ErasedPerson, progress: Progress): void {
    this.underWay.set(erasureId, progress);
    if (this.underWay.size > maxUnderWay) this.underWay.delete(this.underWay.keys().next().value!);
  }
}

/** What is looked for: in Postgres' words, and for each project of theirs. */
function checked(people: readonly ErasedPerson[]) {
  const byProject = Map.groupBy(people, ({ projectId }) => projectId);
  const patterns = new Map(
    [...byProject].map(([projectId, group]) => [projectId, addressesIn(group.map(({ email }) => email))]),
  );
  const texts = anyOf([...new Set(people.map(({ email }) => email))]);
  return {
    projectIds: [...byProject.keys()],
    words: texts,
    any: new RegExp(texts, 'iu'),
    of: (projectId: string) => patterns.get(projectId)!,
  };
}

/** Null where it is of another project, or no fact. */
function rewrite(text: string, of: (projectId: string) => RegExp | undefined): WireEvent | null {
  const event = eventOf(text);
  const addresses = event && of(event.projectId);
  if (!addresses) return null;
  const items = withoutAddresses(event.items, addresses);
  return JSON.stringify(items) === JSON.stringify(event.items) ? null : { ...event, items };
}
