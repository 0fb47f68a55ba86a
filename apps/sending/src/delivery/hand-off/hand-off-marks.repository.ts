import type { Database } from '@posthorn/database';
import { Spanned, type Tracing } from '@posthorn/telemetry';
import type { ErasedAddressHasher } from '../../erasures/erased-names.js';
import type { WarmUp } from '../../pacing/warm-up-sql.js';
import type { Pace, Slot } from '../../pacing/pace.js';
import type { RuleDecision } from './mark-rules.js';
import { lockStatement, markStatement, withHashes, type MessageToMark } from './mark-statement.js';

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

interface MarkRow extends Pick<Mark, 'decision' | 'delayMs' | 'hasTurn'> {
  index: number;
  firstSlotMs: number | null;
}

const claimLost = { decision: 'claim_lost', delayMs: null, hasTurn: false } as const;

// The last check in the database before MAIL FROM. A separate first statement takes the locks, so that the update sees every
// suppression and opt-out that was acknowledged before (docs/guarantees.md G8).
export class HandOffMarks {
  readonly tracing: Tracing;

  constructor(
    private readonly database: Database,
    private readonly pace: Pace,
    private readonly hasher: ErasedAddressHasher,
    private readonly warmUp: WarmUp | null = null,
  ) {
    this.tracing = database.tracing;
  }

  @Spanned('mark', {
    traces: (_workerId: string, messages: MessageToMark[]) => messages.map(({ trace }) => trace),
  })
  async mark(workerId: string, messages: MessageToMark[]): Promise<Mark[]> {
    const settings = { providerKind: this.pace.providerKind, warmUp: this.warmUp, pace: this.pace };
    const hashed = messages.map((message) => withHashes(message, this.hasher));
    const [, rows] = await this.database.transactionInOneWrite([
      lockStatement(messages, settings),
      markStatement(workerId, hashed, settings),
    ]);
    const byIndex = new Map((rows as MarkRow[]).map((row) => [row.index, row]));
    const firstSlotMs = (rows as MarkRow[])[0]?.firstSlotMs ?? null;
    const slots = this.pace.slots(firstSlotMs, messages.length)[Symbol.iterator]();
    return messages.map((_, index) => {
      const { decision, delayMs, hasTurn } = byIndex.get(index) ?? claimLost;
      return { decision, slot: decision === 'ok' ? slots.next().value! : null, delayMs, hasTurn };
    });
  }
}
