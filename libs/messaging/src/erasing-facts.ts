import type { EraseAddress, ServiceName } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { BusConnection } from './connection.js';
import { addressesIn, anyOf, withoutAddresses } from './erased-words.js';
import { ErasingFactsRepository } from './erasing-facts.repository.js';
import { ErasingStream, factOf, type StreamPlace } from './erasing-stream.js';
import type { WireFact } from './frames.js';
import { Gatherer } from './gatherer.js';

/** Whose address; of the same erasure each time. */
export interface ErasedPerson extends Pick<EraseAddress, 'erasureId' | 'email'> {
  projectId: string;
}

const first = '00000000-0000-0000-0000-000000000000';
const maxGathered = 64;
const lingerMs = 5;
const [factsAtOnce, rewrittenAtOnce, messagesAtOnce] = [10_000, 1_000, 2_000];
/** Whoever is forgotten is looked for from the start. */
const maxUnderWay = 100_000;

/** How far the look for one address came: through the outbox, then through the stream. */
type Progress = { outbox: string } | { stream: StreamPlace };

/**
 * Takes addresses out of everything that the messaging of a service keeps: the outbox, the copies in its stream, dead letters. In this order:
 * once the outbox holds an address no more, nobody publishes it again. All that are asked for meanwhile are looked for in one pass, a piece of
 * it each time; how far it came is only known to the process, and found again where that is lost. Who came furthest goes first: whoever is new
 * waits for them, so that nobody is kept from the end by those who come later.
 */
export class ErasingFacts {
  private readonly repository: ErasingFactsRepository;
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
    this.repository = new ErasingFactsRepository(database);
    this.stream = new ErasingStream(service, connection);
  }

  /** Does a bounded piece; answers whether nothing is left of it. */
  erase(person: ErasedPerson): Promise<boolean> {
    return this.gatherer.submit(person);
  }

  /** Dead letters alone, which are the last to come. */
  async eraseLetters(people: readonly ErasedPerson[]): Promise<boolean> {
    const { projectIds, words, of } = looked(people);
    return this.database.transaction(async () => {
      const letters = await this.repository.lockLetters(projectIds, words, rewrittenAtOnce);
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
    const inStream = this.furthest(people, (progress) => ('stream' in progress ? progress.stream.after : null));
    const done = inStream.length > 0 && (await this.pieceOfStream(inStream)) ? new Set(inStream) : new Set();
    return people.map((person) => done.has(person) && this.underWay.delete(person.erasureId));
  }

  private async pieceOfOutbox(people: ErasedPerson[]): Promise<void> {
    const { projectIds, words, of } = looked(people);
    const after = (this.progressOf(people[0]!) as { outbox: string }).outbox;
    const end = await this.repository.lastOfNext(after, factsAtOnce);
    const reached = await this.database.transaction(async () => {
      const facts = await this.repository.lockFacts(projectIds, words, after, end, rewrittenAtOnce);
      const rewritten = facts.map((fact) => ({ ...fact, items: withoutAddresses(fact.items, of(fact.projectId)) }));
      if (rewritten.length > 0) await this.repository.rewriteFacts(rewritten);
      return facts.length < rewrittenAtOnce ? end : facts.at(-1)!.id;
    });
    const stream = reached === null ? await this.stream.begin() : null;
    for (const person of people) this.keep(person, reached === null ? { stream: stream! } : { outbox: reached });
  }

  /** Answers whether it came to the end. */
  private async pieceOfStream(people: ErasedPerson[]): Promise<boolean> {
    const { of, any } = looked(people);
    const places = people.map((person) => (this.progressOf(person) as { stream: StreamPlace }).stream);
    const from = { after: places[0]!.after, last: Math.max(...places.map(({ last }) => last)) };
    const next = await this.stream.next(from, messagesAtOnce, (text) => (any.test(text) ? rewrite(text, of) : null));
    for (const person of people) this.keep(person, { stream: next ?? from });
    return next === null && this.eraseLetters(people);
  }

  /** Those at the place that is furthest of all. */
  private furthest<Place extends string | number>(people: ErasedPerson[], placeOf: (progress: Progress) => Place | null): ErasedPerson[] {
    const placed = people.flatMap((person) => {
      const place = placeOf(this.progressOf(person));
      return place === null ? [] : [{ person, place }];
    });
    const last = placed.reduce<Place | null>((most, { place }) => (most === null || place > most ? place : most), null);
    return placed.filter(({ place }) => place === last).map(({ person }) => person);
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
function looked(people: readonly ErasedPerson[]) {
  const byProject = Map.groupBy(people, ({ projectId }) => projectId);
  const patterns = new Map([...byProject].map(([projectId, group]) => [projectId, addressesIn(group.map(({ email }) => email))]));
  const words = anyOf([...new Set(people.map(({ email }) => email))]);
  return { projectIds: [...byProject.keys()], words, any: new RegExp(words, 'iu'), of: (projectId: string) => patterns.get(projectId)! };
}

/** Null where it is of another project, or no fact. */
function rewrite(text: string, of: (projectId: string) => RegExp | undefined): WireFact | null {
  const fact = factOf(text);
  const addresses = fact && of(fact.projectId);
  if (!addresses) return null;
  const items = withoutAddresses(fact.items, addresses);
  return JSON.stringify(items) === JSON.stringify(fact.items) ? null : { ...fact, items };
}
