import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { currentContext, readTraceparent, writeTraceparent, type TracePoint } from '@posthorn/telemetry';

const name = 'traceparent';

export function tracedHeaders(given?: MsgHdrs): MsgHdrs | undefined {
  const traces = currentContext()?.traces ?? [];
  if (traces.length === 0) return given;
  const all = given ?? headers();
  for (const trace of traces) all.append(name, writeTraceparent(trace));
  return all;
}

export function tracesOf(message: { headers?: MsgHdrs }): readonly TracePoint[] {
  return (message.headers?.values(name) ?? []).map(readTraceparent).filter((trace) => trace !== null);
}
