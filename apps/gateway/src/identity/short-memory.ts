import { Gatherer } from '@posthorn/messaging';
import { ownDatabaseMs, within } from '../edge/deadline.js';

/** A change of identity takes effect on every gateway within a second (contract.md §2): counted from before the question. */
const maxAgeMs = 950;
const maxKnown = 10_000;
// Guessed tokens must not push real ones out.
const maxUnknown = 2_000;

interface Entry<Answer> {
  answer: Answer | null;
  askedAt: number;
}

/**
 * Answers of the database, remembered for less than a second; concurrent questions are one statement, and the same question
 * is asked once. Without the database nothing is remembered longer: the question fails.
 */
export class ShortMemory<Answer> {
  private readonly known = new Map<string, Entry<Answer>>();
  private readonly unknown = new Map<string, Entry<Answer>>();
  private readonly asking = new Map<string, Promise<Answer | null>>();
  private readonly gatherer: Gatherer<string, Answer | null>;

  /** `ask` answers in the order of its questions, null for what there is not. */
  constructor(ask: (questions: string[]) => Promise<(Answer | null)[]>) {
    this.gatherer = new Gatherer({ flush: (questions) => within(ownDatabaseMs, ask(questions)), maxItems: 256 });
  }

  resolve(question: string): Answer | null | Promise<Answer | null> {
    const entry = this.known.get(question) ?? this.unknown.get(question);
    if (entry && performance.now() - entry.askedAt < maxAgeMs) return entry.answer;
    const asking = this.asking.get(question) ?? this.ask(question);
    this.asking.set(question, asking);
    return asking;
  }

  /** Whether it was there when last asked, however long ago: such a one is worth the question. */
  wasKnown(question: string): boolean {
    return this.known.has(question);
  }

  private async ask(question: string): Promise<Answer | null> {
    const askedAt = performance.now();
    try {
      const answer = await this.gatherer.submit(question);
      this.remember(question, { answer, askedAt });
      return answer;
    } finally {
      this.asking.delete(question);
    }
  }

  /** A map keeps the order of insertion: the first entry is the one that was asked for longest ago. */
  private remember(question: string, entry: Entry<Answer>): void {
    this.known.delete(question);
    this.unknown.delete(question);
    const [map, most] = entry.answer ? [this.known, maxKnown] : [this.unknown, maxUnknown];
    map.set(question, entry);
    if (map.size > most) map.delete(map.keys().next().value!);
  }
}
