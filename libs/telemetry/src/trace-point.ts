/** The parent of following spans; unrecorded spans are not propagated. */
export interface TracePoint {
  traceId: string;
  spanId: string;
}

export interface ClientTrace extends TracePoint {
  sampled: boolean;
}

/** Limit of traces per batch; further ones are dropped. */
export const maxTraces = 16;

const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const nothing: readonly TracePoint[] = [];

export function readTraceparent(text: string | undefined): ClientTrace | null {
  const [, traceId, spanId, flags] = (text && traceparent.exec(text)) || [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId) || text!.startsWith('ff'))
    return null;
  return { traceId, spanId, sampled: (parseInt(flags!, 16) & 1) === 1 };
}

export const writeTraceparent = ({ traceId, spanId }: TracePoint): string => `00-${traceId}-${spanId}-01`;

/** The form for columns and frames: comma-separated, null if empty. */
export function writeTraces(points: readonly TracePoint[]): string | null {
  return points.length === 0 ? null : points.map(writeTraceparent).join(',');
}

export function readTraces(text: string | null | undefined): readonly TracePoint[] {
  if (!text) return nothing;
  return text
    .split(',', maxTraces)
    .map(readTraceparent)
    .filter((point) => point !== null);
}
