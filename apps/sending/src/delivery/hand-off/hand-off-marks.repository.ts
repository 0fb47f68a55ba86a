import type { Database, Statement } from '@posthorn/database';
import { Spanned, type Tracing } from '@posthorn/telemetry';
import type { ErasedAddressHasher } from '../../erasures/erased-names.js';
import type { WarmUp } from '../../pacing/warm-up-sql.js';
import type { Pace, Slot } from '../../pacing/pace.js';
import type { HandOffSignals, SendingLimit } from './hand-off-signals.js';
import type { RuleDecision } from './mark-rules.js';
import {
  lockStatement,
  markStatement,
  withHashes,
  type HashedMessageToMark,
  type MarkSettings,
  type MessageToMark,
} from './mark-statement.js';
import { plainLockStatement, plainMarkStatement } from './plain-mark-statement.js';

/** Our own check just before MAIL FROM; what the mail server says is a verdict. */
export type MarkDecision =
  'ok' | 'claim_lost' | RuleDecision | 'frequency_cap' | 'warming_up' | 'slowed' | 'quota';

export interface Mark {
  decision: MarkDecision;
  slot: Slot;
  /** Milliseconds until the message is to be marked again; null where the decision says it, or is final. */
  delayMs: number | null;
  /** It has a turn at a slowed destination, given now or before, at which it leaves without waiting again. */
  hasTurn: boolean;
}

interface MarkRow extends Pick<Mark, 'delayMs' | 'hasTurn'> {
  index: number;
  decision: MarkDecision | null;
  firstSlotMs: number | null;
}

const limitOf: Partial<Record<MarkDecision, SendingLimit>> = {
  quota: 'allowance',
  slowed: 'destination',
  warming_up: 'destination',
};
/** A slot that is later is one behind those of others: at this pace more processes would send no more. */
const slotOfOthersMs = 50;

const claimLost = { decision: 'claim_lost', slot: null, delayMs: null, hasTurn: false } as const;
const tracesOf = (_workerId: string, messages: MessageToMark[]): (string | null)[] =>
  messages.map(({ trace }) => trace);

// The last check in the database before MAIL FROM. A separate first statement takes the locks, so that the update sees every
// suppression and opt-out that was acknowledged before (docs/guarantees.md G8).
export class HandOffMarks {
  readonly tracing: Tracing;

  constructor(
    private readonly database: Database,
    private readonly pace: Pace,
    private readonly hasher: ErasedAddressHasher,
    private readonly warmUp: WarmUp | null = null,
    private readonly signals?: HandOffSignals,
  ) {
    this.tracing = database.tracing;
  }

  /** With the checks that most mail needs; null for a message that needs all of them, which is not marked. */
  @Spanned('mark', { traces: tracesOf })
  async markPlain(workerId: string, messages: MessageToMark[]): Promise<(Mark | null)[]> {
    // A new sending domain can only be told from the domains of its project.
    if (this.warmUp) return messages.map(() => null);
    return this.run(messages, (hashed, settings) => [
      plainLockStatement(messages),
      plainMarkStatement(workerId, hashed, settings),
    ]);
  }

  @Spanned('mark with all checks', { traces: tracesOf })
  async mark(workerId: string, messages: MessageToMark[]): Promise<Mark[]> {
    const marks = await this.run(messages, (hashed, settings) => [
      lockStatement(messages, settings),
      markStatement(workerId, hashed, settings),
    ]);
    return marks.map((mark) => mark ?? claimLost);
  }

  private async run(
    messages: MessageToMark[],
    statements: (hashed: HashedMessageToMark[], settings: MarkSettings & { pace: Pace }) => Statement[],
  ): Promise<(Mark | null)[]> {
    const settings = { providerKind: this.pace.providerKind, warmUp: this.warmUp, pace: this.pace };
    const hashed = messages.map((message) => withHashes(message, this.hasher));
    const [, rows] = (await this.database.transactionInOneWrite(statements(hashed, settings))) as MarkRow[][];
    const firstSlotMs = rows![0]?.firstSlotMs ?? null;
    this.signal(rows!, firstSlotMs);
    const byIndex = new Map(rows!.map((row) => [row.index, row]));
    const slots = this.pace.slots(firstSlotMs, messages.length)[Symbol.iterator]();
    return messages.map((_, index) => {
      const { decision, delayMs, hasTurn } = byIndex.get(index) ?? claimLost;
      return decision && { decision, slot: decision === 'ok' ? slots.next().value! : null, delayMs, hasTurn };
    });
  }

  private signal(rows: readonly MarkRow[], firstSlotMs: number | null): void {
    if (firstSlotMs !== null && firstSlotMs > slotOfOthersMs) this.signals?.limitedBy('pace');
    for (const { decision } of rows) {
      const limit = decision && limitOf[decision];
      if (limit) this.signals?.limitedBy(limit);
    }
  }
}
