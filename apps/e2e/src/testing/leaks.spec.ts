import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTracing } from '@posthorn/telemetry';
import { ExportedTraces } from './exported-traces.js';
import { leaksExported } from './leaks.js';

const known = new Set(['correct horse', 'a "quoted" one']);

describe('the search for secrets in exports', () => {
  let directory: string;
  let traces: ExportedTraces;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'posthorn-leaks-'));
    traces = await ExportedTraces.open(join(directory, 'traces'));
  });
  afterEach(async () => {
    await traces.close();
    rmSync(directory, { recursive: true });
  });

  async function record(...values: string[]): Promise<void> {
    const endpoint = traces.environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
    const tracing = await openTracing({
      service: 'gateway',
      endpoint,
      protocol: 'http/json',
      sampler: 'always_on',
      ratio: 1,
    });
    for (const value of values)
      tracing.root('GET /somewhere', { attributes: { said: value } }, null, false)!.end();
    await tracing.close();
  }

  it.each([
    ['a key', `Bearer sk_live_${'a'.repeat(42)}`],
    ['a token of an application', `oat_${'A'.repeat(42)}`],
    ['a value that a client sent', 'by correct horse'],
    ['a value that JSON escapes', 'by a "quoted" one'],
    ['a URL that grants access', '/api/v1/reveal?token=x'],
  ])('finds %s and names only its span', async (_, value) => {
    await record('nothing', value, 'nothing');
    const [location, ...others] = await leaksExported(traces, known);
    expect(others).toEqual([]);
    expect(location).toMatch(/^the traces: \{.*"GET \/somewhere"/);
    expect(location).toContain(JSON.stringify(value));
    expect(location).not.toContain('nothing');
  });

  it('finds nothing in clean exports', async () => {
    await record('nothing', 'correct', 'sk_live_', 'token=x');
    expect(await traces.find((published) => published.includes('token=x'))).not.toBeNull();
    expect(await leaksExported(traces, known)).toEqual([]);
  });
});
