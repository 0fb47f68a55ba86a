/** A recorded span, as what comes after it names its parent; of what is not recorded nothing travels. */
export interface TracePoint {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
}

/** What a client says of its own trace. */
export interface ClientTrace extends TracePoint {
  sampled: boolean;
}

/** As many traces as one batch speaks for; further ones end there. */
export const maxTraces = 16;

const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const nothing: readonly TracePoint[] = [];

/** A `traceparent` of the W3C (Trace Context §3.2); null for what is none. */
export function readTraceparent(text: string | undefined): ClientTrace | null {
  const [, traceId, spanId, flags] = (text && traceparent.exec(text)) || [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId) || text!.startsWith('ff'))
    return null;
  return { traceId, spanId, sampled: (parseInt(flags!, 16) & 1) === 1 };
}

export const writeTraceparent = ({ traceId, spanId }: TracePoint): string => `00-${traceId}-${spanId}-01`;

/** Points as they lie in a column or a frame: comma between them, null for none. */
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
