import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { root } from '../testing/deployment.js';

const withPromtool = spawnSync('promtool', ['--version']).error ? it.skip : it;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scaling-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the rules record after some minutes in which these series stand still. */
function expectRecorded(series: Record<string, number>, recorded: Record<string, number | null>): void {
  const file = join(folder, 'test.yaml');
  const test = {
    interval: '15s',
    input_series: Object.entries(series).map(([name, value]) => ({ series: name, values: `${value}x40` })),
    promql_expr_test: Object.entries(recorded).map(([expr, value]) => ({
      expr,
      eval_time: '5m',
      exp_samples: value === null ? [] : [{ labels: expr, value }],
    })),
  };
  const rules = join(root, 'deploy/observability/scaling.yaml');
  writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '15s', tests: [test] }));
  expect(execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
}

const backlog = {
  'posthorn_due_deliveries{instance="a"}': 120_000,
  'posthorn_due_deliveries{instance="b"}': 120_000,
  'posthorn_hand_off_capacity{instance="a"}': 400,
  'posthorn_hand_off_capacity{instance="b"}': 600,
  'posthorn_oldest_due_delivery_seconds{instance="a"}': 4_500,
};

describe('the figures that an autoscaler asks for (needs: apt-get install prometheus)', () => {
  withPromtool('are the processes that hand over within a minute what is due, and its age', () => {
    const free = { 'posthorn_sending_limited{instance="a",by="pace"}': 0 };
    expectRecorded(
      { ...backlog, ...free, 'posthorn_sending_limited{instance="a",by="allowance"}': 1 },
      { 'posthorn:sending_processes_wanted': 4, 'posthorn:sending_wait_seconds': 4_500 },
    );
  });

  withPromtool('are what there is, and what is right, while the pace of the provider is the limit', () => {
    expectRecorded(
      {
        ...backlog,
        'posthorn_sending_limited{instance="a",by="pace"}': 0,
        'posthorn_sending_limited{instance="b",by="pace"}': 1,
      },
      { 'posthorn:sending_processes_wanted': 2, 'posthorn:sending_wait_seconds': 30 },
    );
  });

  withPromtool('are missing where nothing is measured, and not zero', () => {
    expectRecorded({}, { 'posthorn:sending_processes_wanted': null, 'posthorn:sending_wait_seconds': null });
  });
});
