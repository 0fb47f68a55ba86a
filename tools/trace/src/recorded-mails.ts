import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '@posthorn/dev';
import { Product, until } from './product.js';

/** What comes last of all that one send brings about, in whatever order. */
const lastSteps = [
  /^receive contacts-recipients$/,
  /^receive analytics-counts-sending-email-accepted$/,
  /^receive analytics-counts-sending-email-delivered$/,
];

export interface RecordedMails {
  /** The trace of each send, in the order of the sends. */
  traces: ReceivedSpan[][];
  /** All that the services exported, those traces among it. */
  exported: readonly string[];
  /** What must not be in any of it. */
  secrets: string[];
  /** All that the services wrote. */
  output: string;
}

export interface RecordOptions {
  /** Sent at once, to as many addresses. */
  count: number;
  /** What the start is given besides, such as `--services`. */
  texts: readonly string[];
  environment?: Record<string, string>;
}

/** Starts the product on servers of its own with every request recorded, sends, and waits until the traces are whole. */
export async function recordMails({
  count,
  texts: texts,
  environment,
}: RecordOptions): Promise<RecordedMails> {
  const receiver = await startOtlpReceiver();
  try {
    const product = await Product.start(texts, { ...recording(receiver.endpoint), ...environment });
    return await recordedBy(product, receiver, count);
  } finally {
    await receiver.close();
  }
}

async function recordedBy(
  product: Product,
  { spans, bodies }: OtlpReceiver,
  count: number,
): Promise<RecordedMails> {
  try {
    const sent = await Promise.all(
      Array.from({ length: count }, (_, index) => product.send(`someone-${index}@example.com`)),
    );
    const tracesNow = () => sent.map((id) => traceOf(spans, id));
    await until(() => tracesNow().every(isWhole), 'every step of the traces has arrived');
    const { secrets } = product;
    await product.stop();
    return { traces: tracesNow(), exported: bodies, secrets, output: product.output };
  } finally {
    await product.stop();
  }
}

const recording = (endpoint: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
});

function traceOf(spans: readonly ReceivedSpan[], traceId: string): ReceivedSpan[] {
  return spans.filter((span) => span.traceId === traceId);
}

function isWhole(spans: readonly ReceivedSpan[]): boolean {
  return lastSteps.every((step) => spans.some(({ name }) => step.test(name)));
}
