import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { readDeployed, root } from '../testing/deployment.js';
import { alertsOf } from './findings.js';

const withPromtool = spawnSync('promtool', ['--version']).error ? it.skip : it;
const files = ['deploy/observability/alerts.yaml', 'deploy/observability/kubernetes.yaml'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'alerts-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const job = 'namespace="posthorn",job_name="migrate-sending-0-1-0"';
const scaler = 'namespace="posthorn",horizontalpodautoscaler="keda-hpa-sending"';
const atCeiling = {
  [`kube_horizontalpodautoscaler_status_current_replicas{${scaler}}`]: '12x120',
  [`kube_horizontalpodautoscaler_spec_max_replicas{${scaler}}`]: '12x120',
};
const certificate =
  'certmanager_certificate_expiration_timestamp_seconds{exported_namespace="posthorn",name="mail"}';
const day = 86_400;

interface Case {
  fires: Record<string, string>;
  labels: object;
  silent: Record<string, string>;
}
const ticket = { severity: 'ticket' };
const page = { severity: 'page' };

/** An alert over one gauge: a value that raises it, and one that does not. */
const over = (series: string, fires: number, silent: number, labels: object): Case[] => [
  { fires: { [series]: `${fires}x120` }, labels, silent: { [series]: `${silent}x120` } },
];
/** An alert over a share of a counter: so many of a hundred a minute. */
const share = (part: string, whole: string, fires: number, silent: number, labels: object): Case[] => {
  const of = (count: number) => ({ [part]: `0+${count}x120`, [whole]: `0+${100 - count}x120` });
  return [{ fires: of(fires), labels, silent: of(silent) }];
};
const requests = 'http_server_request_duration_seconds';
const handOff = (verdict: string) => `posthorn_hand_offs_total{verdict="${verdict}"}`;

/** Each with series that must raise it after an hour or two, and with others that must not. */
const cases: Record<string, Case[]> = {
  PosthornServiceDown: over('up{job="posthorn",instance="a"}', 0, 1, {
    job: 'posthorn',
    instance: 'a',
    ...page,
  }),
  PosthornRequestsFail: share(
    `${requests}_count{status="500"}`,
    `${requests}_count{status="200"}`,
    3,
    1,
    page,
  ),
  PosthornRequestsSlow: [
    {
      fires: {
        [`${requests}_bucket{le="1"}`]: '0+50x120',
        [`${requests}_bucket{le="2.5"}`]: '0+100x120',
        [`${requests}_bucket{le="+Inf"}`]: '0+100x120',
      },
      labels: ticket,
      silent: {
        [`${requests}_bucket{le="1"}`]: '0+100x120',
        [`${requests}_bucket{le="2.5"}`]: '0+100x120',
        [`${requests}_bucket{le="+Inf"}`]: '0+100x120',
      },
    },
  ],
  PosthornCallsFail: [
    {
      fires: { 'posthorn_bus_call_failures_total{subject="s",reason="timeout"}': '0+30x120' },
      labels: { subject: 's', reason: 'timeout', ...page },
      silent: { 'posthorn_bus_call_failures_total{subject="s",reason="timeout"}': '0+1x120' },
    },
  ],
  PosthornOutboxStuck: over('posthorn_outbox_age_seconds{service="sending"}', 90, 5, {
    service: 'sending',
    ...page,
  }),
  PosthornSubscriberBehind: over('posthorn_subscriber_pending{subscriber="s"}', 20_000, 500, {
    subscriber: 's',
    ...ticket,
  }),
  PosthornDeadLetters: over('posthorn_dead_letters{service="contacts",subscriber="s"}', 1, 0, {
    service: 'contacts',
    subscriber: 's',
    ...ticket,
  }),
  PosthornEventsQuarantined: over('posthorn_outbox_quarantined{service="sending"}', 1, 0, {
    service: 'sending',
    ...ticket,
  }),
  PosthornMailHeld: over('posthorn_deliveries{state="HELD"}', 3, 0, page),
  PosthornMailWaits: over('posthorn_oldest_due_delivery_seconds', 400, 20, page),
  PosthornMailServerAway: over('posthorn_smtp_paused{service="sending"}', 1, 0, {
    service: 'sending',
    ...page,
  }),
  PosthornAmbiguous: over('posthorn_oldest_ambiguous_seconds', 2_400, 600, ticket),
  PosthornManyAmbiguous: share(handOff('ambiguous'), handOff('accepted'), 3, 0, page),
  PosthornHandOffsFail: share(handOff('refused'), handOff('accepted'), 30, 10, ticket),
  PosthornPoolExhausted: over('posthorn_postgres_waiting{service="sending",pool="hot"}', 20, 2, {
    service: 'sending',
    pool: 'hot',
    ...ticket,
  }),
  PosthornEventLoopBlocked: over(
    'nodejs_eventloop_lag_p99_seconds{instance="a",service="sending"}',
    1,
    0.05,
    { instance: 'a', service: 'sending', ...ticket },
  ),
  PosthornWorkDead: over('posthorn_work_dead{service="contacts",kind="contacts.imports"}', 1, 0, {
    service: 'contacts',
    kind: 'contacts.imports',
    ...ticket,
  }),
  PosthornWorkWaits: over(
    'posthorn_work_oldest_due_seconds{service="workflows",kind="workflows.executions"}',
    1_200,
    30,
    { service: 'workflows', kind: 'workflows.executions', ...page },
  ),
  PosthornJobFails: [
    {
      fires: { [`kube_job_status_failed{${job}}`]: '4x120' },
      labels: { job_name: 'migrate-sending-0-1-0', severity: 'page' },
      silent: { [`kube_job_status_failed{${job}}`]: '2x120' },
    },
    {
      fires: {
        [`kube_job_status_active{${job}}`]: '1x120',
        [`kube_job_status_start_time{${job}}`]: '60x120',
      },
      labels: { job_name: 'migrate-sending-0-1-0', severity: 'page' },
      silent: {
        [`kube_job_status_active{${job}}`]: '0x120',
        [`kube_job_status_start_time{${job}}`]: '60x120',
      },
    },
  ],
  PosthornSendingAtCeiling: [
    {
      fires: { ...atCeiling, posthorn_oldest_due_delivery_seconds: '90x120' },
      labels: { severity: 'ticket' },
      silent: { ...atCeiling, posthorn_oldest_due_delivery_seconds: '5x120' },
    },
  ],
  PosthornCertificateExpires: [
    {
      fires: { [certificate]: `${13 * day}x120` },
      labels: { name: 'mail', severity: 'ticket' },
      silent: { [certificate]: `${20 * day}x120` },
    },
  ],
};

describe('the alerts (needs: apt-get install prometheus)', () => {
  withPromtool.each(files)('of %s fire when they should, and only then', (rules) => {
    const tests = alertsOf(readDeployed(rules)).flatMap(({ alert, annotations }) =>
      cases[alert]!.flatMap(({ fires, labels, silent }) =>
        [fires, silent].map((series) => ({
          interval: '1m',
          input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
          alert_rule_test: [
            {
              eval_time: '110m',
              alertname: alert,
              exp_alerts: series === fires ? [{ exp_labels: labels, exp_annotations: annotations }] : [],
            },
          ],
        })),
      ),
    );
    const file = join(folder, basename(rules));
    writeFileSync(file, stringify({ rule_files: [join(root, rules)], evaluation_interval: '1m', tests }));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });
});
