import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ReceivedSpan } from '@posthorn/dev';
import { recordMails, type RecordedMails } from './recorded-mails.js';
import { treeOf } from './trace-tree.js';

const sent = 8;
const levels = 30;

/** What a service takes from a stream is one transaction, in which each subscriber has its part. */
const received = (service: string, subscriber: string): string[] => [
  `${service}: receive sending ${service}`,
  `${service}: transaction`,
  `${service}: receive ${subscriber}`,
];

describe('the traces of mails that are sent at once', () => {
  let recorded: RecordedMails;

  beforeAll(async () => {
    recorded = await recordMails({
      count: sent,
      texts: [],
      environment: { LOG_LEVEL: 'info', LOG_FORMAT: 'json' },
    });
  });

  it('go from the request through bus, commit, claim, mark and hand-over to every consumer, each whole by itself', () => {
    expect(recorded.traces).toHaveLength(sent);
    for (const trace of recorded.traces) {
      const request = ['gateway: POST /api/v1/emails'];
      const answer = [
        ...request,
        'gateway: call sending.emails.accept',
        'gateway: send sending.emails.accept',
      ];
      // Calls travel together, but each is answered in its own trace.
      const answered = [
        ...request,
        'gateway: call sending.emails.accept',
        'sending: answer sending.emails.accept',
      ];
      const claimed = [...answered, 'sending: claim'];
      const published = [...answered, 'sending: publish sending.email.accepted'];
      for (const path of [
        answer,
        [...answered, 'sending: commit accepts', 'sending: accept'],
        // It writes the contact, unless the claim asked for it first.
        [...published, ...received('contacts', 'contacts-recipients')],
        [
          ...published,
          ...received('analytics', 'analytics-counts-sending-email-accepted'),
          'analytics: INSERT INTO mail_count_deltas',
        ],
        [...claimed, 'sending: mark', 'sending: lock-addresses-plain + mark-hand-off-plain'],
        [...claimed, 'sending: hand over'],
        [...claimed, 'sending: record', 'sending: record-outcomes'],
        [
          ...claimed,
          'sending: publish sending.email.delivered',
          ...received('analytics', 'analytics-counts-sending-email-delivered'),
        ],
      ]) {
        expect(pathsOf(trace)).toContain(path.join(' > '));
      }
    }
  });

  it('hang together by parents: one root each, and nothing beside it', () => {
    for (const trace of recorded.traces) {
      const roots = treeOf(trace).filter(({ depth }) => depth === 0);
      expect(roots.map(({ span }) => span.name)).toEqual(['POST /api/v1/emails']);
    }
  });

  it('name one another where a batch was done once for many', () => {
    const known = new Set(recorded.traces.map(([span]) => span!.traceId));
    const commits = recorded.traces.flatMap((trace) => trace.filter(({ name }) => name === 'commit accepts'));
    expect(commits).toHaveLength(sent);
    const linked = commits.filter(({ links }) => links.length > 0);
    // Eight requests at once: at least two of them were one commit.
    expect(linked.length).toBeGreaterThan(1);
    for (const { traceId, links } of linked) {
      for (const link of links) {
        expect(known).toContain(link.traceId);
        expect(link.traceId).not.toBe(traceId);
      }
    }
  });

  it('carry no address, no subject and no key', () => {
    expect(recorded.exported.length).toBeGreaterThan(0);
    for (const text of recorded.exported) {
      expect(text).not.toMatch(/@|subject of our own|sk_live|sk_test/i);
      for (const secret of recorded.secrets) expect(text).not.toContain(secret);
    }
  });
});

/** Every span as the way to it from the root. */
function pathsOf(spans: readonly ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  return spans.map((span) => {
    const path: string[] = [];
    for (
      let at: ReceivedSpan | undefined = span;
      at && path.length < levels;
      at = byId.get(at.parentSpanId ?? '')
    ) {
      path.unshift(`${at.service.replace('posthorn-', '')}: ${at.name}`);
    }
    return path.join(' > ');
  });
}
