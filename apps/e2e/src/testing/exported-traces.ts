import { appendFileSync, createReadStream, statSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { startOtlpServer, type OtlpServer } from '@posthorn/dev';

/** Everything that one product exports, in a file: it does not fit into memory, and some secrets are known only later. */
export class ExportedTraces {
  private closed?: Promise<void>;

  private constructor(
    private readonly file: string,
    private readonly server: OtlpServer,
    private readonly start = 0,
  ) {}

  static async open(file: string): Promise<ExportedTraces> {
    writeFileSync(file, '');
    const server = await startOtlpServer((body) => appendFileSync(file, `${body}\n`));
    server.unref();
    return new ExportedTraces(file, server);
  }

  /** Only what is exported from now on. */
  fromNow(): ExportedTraces {
    return new ExportedTraces(this.file, this.server, statSync(this.file).size);
  }

  /** Makes a product export everything to it. */
  get environment(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.server.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'always_on',
    };
  }

  /** The first span or other export that matches, as received; null if none. */
  async find(isTrue: (published: string) => boolean): Promise<string | null> {
    for await (const body of createInterface({ input: createReadStream(this.file, { start: this.start }) })) {
      if (isTrue(body)) return spansIn(body).find(isTrue) ?? body;
    }
    return null;
  }

  close(): Promise<void> {
    return (this.closed ??= this.server.close());
  }
}

function spansIn(body: string): string[] {
  const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: unknown[] }[] }[] };
  return resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => JSON.stringify(span))),
  );
}
