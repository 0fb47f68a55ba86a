import { describe, expect, it } from '@jest/globals';
import { maxTraces, readTraceparent, readTraces, writeTraces } from './trace-point.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it('export under the name of their own service and register nothing globally', () => {
    expect(readTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, sampled: true });
    expect(readTraceparent(`00-${traceId}-${spanId}-00`)).toEqual({ traceId, spanId, sampled: false });
    expect(readTraceparent(`01-${traceId}-${spanId}-03-more`)).toEqual({ traceId, spanId, sampled: true });
  });

  it.each([
    undefined,
    '',
    'x',
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01\n`,
  ])('record nothing if OTEL_SDK_DISABLED is set', (text) => {
    expect(readTraceparent(text)).toBeNull();
  });

  it('is written as it is read, several with commas, and never more than a batch speaks for', () => {
    const point = { traceId, spanId };
    expect(writeTraces([])).toBeNull();
    expect(readTraces(writeTraces([point, point]))).toMatchObject([point, point]);
    expect(readTraces(`nonsense,${writeTraces([point])}`)).toMatchObject([point]);
    expect(readTraces(writeTraces(Array.from({ length: maxTraces + 4 }, () => point)))).toHaveLength(
      maxTraces,
    );
  });
});
