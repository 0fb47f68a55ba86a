import { describe, expect, it } from '@jest/globals';
import { alertsOf, commandFindings, expressionsOf, runbookFindings, unknownIn } from './findings.js';
import { knownMetrics } from './known-metrics.js';
import { requestedBy } from './promql.js';

const known = await knownMetrics();

describe('an expression', () => {
  it('names its metrics, their labels and what it groups by, however it is nested', () => {
    const expr =
      'histogram_quantile(0.99, sum by (le, route) (rate(a_seconds_bucket{status=~"5..", method!="GET"}[5m] offset 1h))) / on (service) group_left (x) max without (instance) (b:total) > bool 1e3 and c == 0.5';
    expect(requestedBy(expr)).toEqual({
      metrics: [
        { name: 'a_seconds_bucket', labels: ['status', 'method'] },
        { name: 'b:total', labels: [] },
        { name: 'c', labels: [] },
      ],
      grouping: ['le', 'route', 'service', 'x', 'instance'],
    });
  });

  it('is not misled by what stands in quotes', () => {
    expect(requestedBy('a{b="by (c) {d=\\"e\\"}"}')).toEqual({
      metrics: [{ name: 'a', labels: ['b'] }],
      grouping: [],
    });
  });

  it.each([
    ['rate(posthorn_hand_offs_total{verdict="accepted"}[$__rate_interval])', []],
    ['sum by (le, subject) (rate(posthorn_bus_call_duration_seconds_bucket[5m]))', []],
    ['nodejs_eventloop_lag_p99_seconds{service="sending"}', []],
    ['posthorn_hand_off_total', ['there is no metric posthorn_hand_off_total']],
    ['posthorn_bus_call_duration_seconds', ['there is no metric posthorn_bus_call_duration_seconds']],
    ['posthorn_outbox_age_seconds{project="x"}', ['posthorn_outbox_age_seconds has no label project']],
    ['sum by (recipient) (posthorn_dead_letters)', ['nothing here has the label recipient']],
    ['vector(1)', ['vector(1) names no metric']],
  ])('%s may name only what is measured', (expr, findings) => {
    expect(unknownIn(expr, known)).toEqual(findings);
  });
});

describe('alerts and runbooks', () => {
  const [alert] = alertsOf(
    'groups: [{name: g, rules: [{alert: A, expr: up == 0, labels: {severity: page}, annotations: {summary: s, runbook_url: docs/runbooks/A.md}}]}]',
  );
  const runbook = '## What it means\n## What to look at\n`npm run posthorn`\n## What to do\n';

  it('belong together, one to one', () => {
    expect(runbookFindings([alert!], new Map([['A.md', runbook]]))).toEqual([]);
    expect(runbookFindings([alert!], new Map())).toEqual(['A has no runbook']);
    expect(runbookFindings([], new Map([['A.md', runbook]]))).toEqual(['A.md is of no alert']);
    expect(
      runbookFindings([{ ...alert!, annotations: {}, labels: {} }], new Map([['A.md', '']])),
    ).toHaveLength(6);
  });

  it('name only commands that there are', () => {
    expect(commandFindings(new Map([['A.md', runbook]]), ['posthorn'])).toEqual([]);
    expect(commandFindings(new Map([['A.md', runbook]]), ['start'])).toEqual([
      'A.md: there is no script posthorn',
    ]);
  });
});

it('finds the questions of a board in rows, too', () => {
  const inner = { title: 'inner', targets: [{ expr: 'up' }] };
  expect(expressionsOf(JSON.stringify({ panels: [{ title: 'row', panels: [inner] }, inner] }))).toHaveLength(
    2,
  );
});
