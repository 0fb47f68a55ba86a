import { parse } from 'yaml';
import type { KnownMetrics } from './known-metrics.js';
import { requestedBy } from './promql.js';

export interface Alert {
  alert: string;
  expr: string;
  annotations?: { runbook_url?: string; summary?: string };
  labels?: { severity?: string };
}

interface Panel {
  title?: string;
  panels?: Panel[];
  targets?: { expr?: string }[];
}

interface Board {
  panels: Panel[];
  templating?: { list?: { query?: string | { query?: string } }[] };
}

export function alertsOf(rules: string): Alert[] {
  const { groups } = parse(rules) as { groups: { rules: Alert[] }[] };
  return groups.flatMap((group) => group.rules);
}

interface Recording {
  record: string;
  expr: string;
}

export function recordingsOf(rules: string): Recording[] {
  const { groups } = parse(rules) as { groups: { rules: Recording[] }[] };
  return groups.flatMap((group) => group.rules);
}

/** What a board asks for, each under its panel's title. */
export function expressionsOf(board: string): { where: string; expr: string }[] {
  const { panels } = JSON.parse(board) as Board;
  const walk = (list: Panel[]): { where: string; expr: string }[] =>
    list.flatMap(({ title = '', panels: inner = [], targets = [] }) => [
      ...targets.map(({ expr = '' }) => ({ where: title, expr })),
      ...walk(inner),
    ]);
  return walk(panels);
}

/** What an expression names and nobody measures. */
export function unknownIn(expr: string, known: KnownMetrics): string[] {
  const { metrics, grouping } = requestedBy(expr.replaceAll('$__rate_interval', '5m'));
  if (metrics.length === 0) return [`${expr} names no metric`];
  const missing = metrics
    .filter(({ name }) => !known.has(name))
    .map(({ name }) => `there is no metric ${name}`);
  const unknown = metrics.flatMap(({ name, labels }) =>
    labels
      .filter((label) => known.has(name) && !known.get(name)!.has(label))
      .map((label) => `${name} has no label ${label}`),
  );
  const groups = grouping
    .filter((label) => !metrics.some(({ name }) => known.get(name)?.has(label)))
    .map((label) => `nothing here has the label ${label}`);
  return [...missing, ...unknown, ...groups];
}

/** Every alert has its runbook, every runbook its alert, and each says what it is about. */
export function runbookFindings(alerts: readonly Alert[], runbooks: ReadonlyMap<string, string>): string[] {
  const wanted = new Set(alerts.map(({ alert }) => `${alert}.md`));
  const incomplete = alerts.flatMap(({ alert, annotations, labels }) => [
    ...(runbooks.has(`${alert}.md`) ? [] : [`${alert} has no runbook`]),
    ...(annotations?.runbook_url?.endsWith(`docs/runbooks/${alert}.md`)
      ? []
      : [`${alert} does not name its runbook`]),
    ...(annotations?.summary ? [] : [`${alert} has no summary`]),
    ...(['page', 'ticket'].includes(labels?.severity ?? '')
      ? []
      : [`${alert} is neither a page nor a ticket`]),
  ]);
  const sections = ['## What it means', '## What to look at', '## What to do'];
  const thin = [...runbooks].flatMap(([name, text]) =>
    sections.filter((title) => !text.includes(title)).map((title) => `${name} lacks "${title}"`),
  );
  return [
    ...incomplete,
    ...[...runbooks.keys()].filter((name) => !wanted.has(name)).map((name) => `${name} is of no alert`),
    ...thin,
  ];
}

/** Commands of this project that a runbook names: each is a script or a subcommand that exists. */
export function commandFindings(runbooks: ReadonlyMap<string, string>, scripts: readonly string[]): string[] {
  return [...runbooks].flatMap(([name, text]) =>
    [...text.matchAll(/npm run ([\w:-]+)/g)]
      .map(([, script]) => script!)
      .filter((script) => !scripts.includes(script))
      .map((script) => `${name}: there is no script ${script}`),
  );
}
