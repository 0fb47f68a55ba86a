import type { ClientTrace, TracePoint } from './trace-point.js';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
export type Attributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  startedAt?: number;
}

export interface OpenSpan {
  point: TracePoint;
  add(attributes: Attributes): void;
  /** Records only the kind of the error, because its message may contain an address. */
  fail(error: unknown): void;
  end(): void;
}

/** Absent unless spans are exported. */
export interface SpanRecorder {
  root(name: string, options: SpanOptions & { parent?: ClientTrace; link?: ClientTrace }): OpenSpan | null;
  child(parent: TracePoint, name: string, options: SpanOptions, links: readonly TracePoint[]): OpenSpan;
  close(): Promise<void>;
}

export interface WorkContext {
  tracing: Tracing;
  traces: readonly TracePoint[];
  requestIds: readonly string[];
}

const nobody: readonly string[] = [];

/** Tracing of one service. Without a recorder nothing is recorded or propagated. */
export class Tracing {
  constructor(private readonly recorder: SpanRecorder | null = null) {}

  /** Null if the request is not recorded. A client's trace is continued if it is trusted, and linked otherwise. */
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

  context(traces: readonly TracePoint[], requestIds: readonly string[] = nobody): WorkContext | undefined {
    const recorded = this.recorder ? traces : [];
    return recorded.length + requestIds.length > 0
      ? { tracing: this, traces: recorded, requestIds }
      : undefined;
  }

  /** The first links to all traces of the work, the others to the first, so that each trace is complete. */
  spans(name: string, options: SpanOptions, parents: readonly TracePoint[]): OpenSpan[] {
    const [first, ...others] = parents;
    if (!this.recorder || !first) return [];
    const recorder = this.recorder;
    const main = recorder.child(first, name, options, others);
    return [main, ...others.map((parent) => recorder.child(parent, name, options, [main.point]))];
  }

  async close(): Promise<void> {
    await this.recorder?.close();
  }
}
