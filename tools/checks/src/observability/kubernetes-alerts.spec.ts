import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { readDeployed, root } from '../testing/deployment.js';
import { alertsOf } from './findings.js';

const withPromtool = spawnSync('promtool', ['--version']).error ? it.skip : it;
const rules = 'deploy/observability/kubernetes.yaml';

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

/** Each with series that must raise it after an hour or two, and with others that must not. */
const cases: Record<
  string,
  { fires: Record<string, string>; labels: object; silent: Record<string, string> }[]
> = {
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

describe('the alerts of a cluster (needs: apt-get install prometheus)', () => {
  withPromtool.each(alertsOf(readDeployed(rules)))(
    '$alert fires when it should, and only then',
    ({ alert, annotations }) => {
      const tests = cases[alert]!.flatMap(({ fires, labels, silent }) =>
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
      );
      const file = join(folder, `${alert}.yaml`);
      writeFileSync(file, stringify({ rule_files: [join(root, rules)], evaluation_interval: '1m', tests }));
      expect(execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
    },
  );
});
