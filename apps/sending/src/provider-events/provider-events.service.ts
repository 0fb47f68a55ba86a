import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  providerEvents,
  type ProviderEvent,
  type RecordedProviderEvents,
  type RecordProviderEvents,
  type SuppressionReason,
} from '@posthorn/contracts';
import { isSerializationFailure } from '@posthorn/database';
import { isDeadAddress } from '@posthorn/mail';
import { answerEach, bisect, Gatherer, Handles, type Incoming } from '@posthorn/messaging';
import { Metrics } from '@posthorn/telemetry';
import { EngagementsRepository } from '../engagement/engagements.repository.js';
import { machineReasonOf } from '../engagement/machine-traffic.js';
import { ambiguousSettled, providerEventsRecorded } from './provider-events.metrics.js';
import { ProviderEventsRepository, type RecordedReports, type Report } from './provider-events.repository.js';
import { isReported } from './reported.js';

const maxGathered = 512;
const attempts = 3;

/** The one intake of everything that comes back, whoever reports it (docs/decisions/0025-provider-events.md). */
@Injectable()
export class ProviderEventsService {
  private readonly gatherer = new Gatherer<Report[], number>({
    flush: (calls) =>
      bisect<Report[], number | Error>(
        calls,
        (part) => this.write(part),
        (part, error) => part.map(() => error),
      ),
    maxItems: maxGathered,
    maxBytes: maxGathered,
    sizeOf: ({ length }) => length,
  });
  private readonly recorded;
  private readonly settled;

  constructor(
    private readonly events: ProviderEventsRepository,
    private readonly engagements: EngagementsRepository,
    metrics: Metrics,
  ) {
    this.recorded = metrics.counter(providerEventsRecorded);
    this.settled = metrics.counter(ambiguousSettled);
  }

  @Handles(providerEvents.record)
  recordEach(calls: Incoming<RecordProviderEvents>[]): Promise<(RecordedProviderEvents | Error)[]> {
    return answerEach(calls, ({ body }) => this.record(body));
  }

  async record({ items }: RecordProviderEvents): Promise<RecordedProviderEvents> {
    const reports = items.flatMap((item) => (isReported(item.kind) ? [toReport(item)] : []));
    const engaged = items.filter(({ kind }) => !isReported(kind));
    const recorded = reports.length > 0 ? await this.gatherer.submit(reports) : 0;
    return { recorded: recorded + (engaged.length > 0 ? await this.recordEngaged(engaged) : 0) };
  }

  private async write(calls: Report[][]): Promise<number[]> {
    const reports = calls.flat();
    const { recorded, settled } = await this.tryToWrite(reports);
    const isNew = new Set(recorded);
    for (const index of recorded)
      this.recorded.inc({ source: reports[index]!.source, kind: reports[index]!.kind });
    if (settled > 0) this.settled.inc(settled);
    let index = 0;
    return calls.map((call) => call.filter(() => isNew.has(index++)).length);
  }

  private async tryToWrite(reports: Report[], attempt = 1): Promise<RecordedReports> {
    try {
      return await this.events.record(reports);
    } catch (error) {
      if (attempt === attempts || !isSerializationFailure(error)) throw error;
      return this.tryToWrite(reports, attempt + 1);
    }
  }

  /** Reported by the provider's own pixel and links. */
  private async recordEngaged(items: ProviderEvent[]): Promise<number> {
    const located = await this.events.locate(items);
    return this.engagements.record(
      located.map(({ index, projectId, emailId, position }) => {
        const item = items[index]!;
        const { url, userAgent } = item;
        const kind = item.kind === 'OPENED' ? ('OPEN' as const) : ('CLICK' as const);
        const seen = { id: historyIdOf(item), kind, projectId, emailId, position, agoMs: 0, url, userAgent };
        return { ...seen, machine: machineReasonOf(seen) };
      }),
    );
  }
}

function toReport(event: ProviderEvent): Report {
  return {
    ...event,
    kind: event.kind as Report['kind'],
    historyId: historyIdOf(event),
    suppression: suppressionOf(event),
  };
}

/** Stable, so that the row of a repeated report exists already; a UUID of version 8 (RFC 9562). */
function historyIdOf({ source, eventId, kind, emailId, position, recipient }: ProviderEvent): string {
  const name = JSON.stringify([source, eventId, kind, emailId, position ?? recipient ?? null]);
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Only codes that say that the address does not exist suppress it, and complaints (docs/api-decisions.md §3). */
function suppressionOf({
  kind,
  statusCode,
  replyCode,
  suppresses,
  detail = '',
}: ProviderEvent): SuppressionReason | null {
  if (suppresses === false) return null;
  if (kind === 'COMPLAINED') return 'COMPLAINT';
  return kind === 'BOUNCED' && isDeadAddress({ statusCode, replyCode, detail }) ? 'HARD_BOUNCE' : null;
}
