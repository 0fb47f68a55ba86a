import type { RequestContract } from '@posthorn/contracts';
import { inSpan } from '@posthorn/telemetry';
import { within } from './call-failed.js';
import type { ReplyFrame } from './frames.js';
import { Gatherer } from './gatherer.js';

const maxGathered = 64;

export interface Outgoing {
  timeoutMs: number;
  bytes: number;
}

interface Way<Call extends Outgoing> {
  request: (contract: RequestContract, calls: Call[]) => Promise<ReplyFrame[]>;
  maxBytes: () => number;
}

/** One way to the services. Concurrent calls of a gathered contract go together. */
export class CallBatches<Call extends Outgoing> {
  private readonly gatherers = new Map<string, Gatherer<Call, ReplyFrame>>();

  constructor(private readonly way: Way<Call>) {}

  async send(contract: RequestContract, call: Call): Promise<ReplyFrame> {
    // Includes the time in which the call is gathered with others.
    if (contract.gathered) return within(contract, call.timeoutMs, this.gathererFor(contract).submit(call));
    const [answer] = await this.tracedRequest(contract, [call]);
    return answer!;
  }

  private gathererFor(contract: RequestContract): Gatherer<Call, ReplyFrame> {
    const known = this.gatherers.get(contract.subject);
    if (known) return known;
    const gatherer = new Gatherer<Call, ReplyFrame>({
      flush: (calls) => this.tracedRequest(contract, calls),
      maxItems: maxGathered,
      maxBytes: this.way.maxBytes(),
      sizeOf: ({ bytes }) => bytes,
    });
    this.gatherers.set(contract.subject, gatherer);
    return gatherer;
  }

  private tracedRequest(contract: RequestContract, calls: Call[]): Promise<ReplyFrame[]> {
    const spanOptions = { kind: 'producer', attributes: { 'posthorn.batch.size': calls.length } } as const;
    return inSpan(`send ${contract.subject}`, spanOptions, () => this.way.request(contract, calls));
  }
}

/** Each call of a batch ends at its own time: one that has little left must not end its neighbours. */
export const longestOf = (calls: readonly Outgoing[]): number =>
  Math.max(...calls.map(({ timeoutMs }) => timeoutMs));
