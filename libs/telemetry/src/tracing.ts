import type { WorkContext } from './work-context.js';
import type { ClientTrace, TracePoint } from './trace-point.js';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type Attributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** Milliseconds since 1970; now, unless the span is told of afterwards. */
  startedAt?: number;
}

/** A span that is being recorded. */
export interface OpenSpan {
  point: TracePoint;
  add(attributes: Attributes): void;
  /** Names the kind of a failure; its words may hold an address. */
  fail(error: unknown): void;
  end(): void;
}

/** What makes spans; only there where they are exported. */
export interface SpanRecorder {
  /** Null where the sampler has decided against it. */
  root(name: string, options: SpanOptions & { parent?: ClientTrace; link?: ClientTrace }): OpenSpan | null;
  child(parent: TracePoint, name: string, options: SpanOptions, links: readonly TracePoint[]): OpenSpan;
  close(): Promise<void>;
}

const nobody: readonly string[] = [];

/** The tracing of one service. Without a recorder nothing is made and nothing travels. */
export class Tracing {
  constructor(private readonly recorder: SpanRecorder | null = null) {}

  /** What a client's request is recorded as; null where it is not. A client's trace is gone on with when it is trusted, linked otherwise. */
  root(name: string, options: SpanOptions, client: ClientTrace | null, trusted: boolean): OpenSpan | null {
    if (!this.recorder) return null;
    return this.recorder.root(name, {
      ...options,
      ...(client && (trusted ? { parent: client } : { link: client })),
    });
  }

  get recording(): boolean {
    return this.recorder !== null;
  }

  /** The scene of work that came with its traces; none where there is nothing to name. */
  context(traces: readonly TracePoint[], requestIds: readonly string[] = nobody): WorkContext | undefined {
    const recorded = this.recorder ? traces : [];
    return recorded.length + requestIds.length > 0
      ? { tracing: this, traces: recorded, requestIds }
      : undefined;
  }

  /**
   * One span in each trace. What is done once for many is linked: the first span names all that it was done for, the others name
   * the first one, so that each trace is whole by itself.
   */
  spans(name: string, options: SpanOptions, parents: readonly TracePoint[]): OpenSpan[] {
    const [first, ...others] = parents;
    if (!this.recorder || !first) return [];
    const recorder = this.recorder;
    const main = recorder.child(first, name, options, others);
    return [main, ...others.map((parent) => recorder.child(parent, name, options, [main.point]))];
  }

  /** Sends what is recorded, and records no more. */
  async close(): Promise<void> {
    await this.recorder?.close();
  }
}
