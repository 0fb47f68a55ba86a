import { once, EventEmitter } from 'node:events';
import type pg from 'pg';

/** One node of a plan, as Postgres writes it. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Plan Rows': number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
  [other: string]: unknown;
}

/** A statement that a service asked, with the plan that it ran by. */
export interface Recorded {
  service: string;
  sql: string;
  ms: number;
  plan: PlanNode;
}

const opening = /^(.*?)\|.*duration: ([\d.]+) ms {2}plan:$/;
/** Of a service's connections, whatever they are for. */
const connection = /^posthorn-([a-z]+)-/;

/** What auto_explain writes of the statements of some services, in the log of Postgres. */
export class Recorder {
  private recorded: Recorded[] = [];
  private open: { ms: number; service: string | null; lines: string[] } | null = null;
  private readonly marks = new EventEmitter();
  private marked = 0;

  /** The client is connected to the database of one of the services. */
  constructor(private readonly client: pg.Client) {}

  /** Sessions that begin from now on are recorded; that of a recorder must begin later too. */
  static async prepare(client: pg.Client, services: readonly string[]): Promise<void> {
    const settings = {
      session_preload_libraries: 'auto_explain',
      'auto_explain.log_min_duration': 0,
      'auto_explain.log_analyze': 'on',
      'auto_explain.log_buffers': 'on',
      'auto_explain.log_format': 'json',
      'auto_explain.log_parameter_max_length': 0,
    };
    for (const service of services)
      for (const [name, value] of Object.entries(settings))
        await client.query(`ALTER DATABASE posthorn_${service} SET ${name} = '${value}'`);
    await client.query(`ALTER SYSTEM SET log_line_prefix = '%a|'`);
    await client.query(`SELECT pg_reload_conf()`);
  }

  read = (line: string): void => {
    const [, name, ms] = opening.exec(line) ?? [];
    if (ms !== undefined)
      this.open = { ms: Number(ms), service: connection.exec(name!)?.[1] ?? null, lines: [] };
    else if (this.open) this.continue(this.open, line);
  };

  /** All that was asked until now, and not taken before. */
  async take(): Promise<Recorded[]> {
    const mark = `mark ${(this.marked += 1)}`;
    const seen = once(this.marks, mark);
    await this.client.query(`SELECT '${mark}'`);
    await seen;
    const taken = this.recorded;
    this.recorded = [];
    return taken;
  }

  private continue(open: NonNullable<typeof this.open>, line: string): void {
    open.lines.push(line);
    if (line !== '\t}') return;
    this.open = null;
    const { 'Query Text': sql, Plan: plan } = JSON.parse(open.lines.join('\n')) as {
      'Query Text': string;
      Plan: PlanNode;
    };
    if (open.service === null) this.marks.emit(/'(mark \d+)'/.exec(sql)?.[1] ?? 'other');
    // A statement that was only explained ran by no plan.
    else if (Object.hasOwn(plan, 'Actual Rows'))
      this.recorded.push({ service: open.service, sql, ms: open.ms, plan });
  }
}

/** Tables beyond this many rows are never to be read from end to end. */
const smallTable = 5_000;

/** What a plan reads a whole table by: in order, or by an index that is no help. */
export function wholeScans(node: PlanNode, sizes: ReadonlyMap<string, number>): string[] {
  const below = (node.Plans ?? []).flatMap((each) => wholeScans(each, sizes));
  const { 'Node Type': type, 'Relation Name': table, 'Actual Loops': loops } = node;
  const size = table === undefined ? 0 : (sizes.get(table) ?? 0);
  if (!type.endsWith('Scan') || size < smallTable || loops === 0) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const read = (node['Actual Rows'] + removed) * loops;
  return type === 'Seq Scan' || read >= size / 2
    ? [`${type} reads ${read} of ${size} rows of ${table}`, ...below]
    : below;
}

/** The statements that one call was the first to ask. */
export interface Section {
  name: string;
  call: string;
  statements: (Recorded & { times: number })[];
}

export const normalized = (sql: string): string => sql.replace(/\s+/g, ' ').replace(/\$\d+/g, '$n').trim();

/** What stands above the sections. */
export interface PageHead {
  script: string;
  title: string;
  text: string;
}

export function planPage({ script, title, text }: PageHead, sections: Section[]): string {
  const parts = sections.map(({ name, call, statements }) => {
    const each = statements.map(
      ({ service, sql, ms, times, plan }) =>
        `${service}: ${ms.toFixed(2)} ms${times > 1 ? `, the slowest of ${times}` : ''}\n\n\`\`\`sql\n${sql.replace(/\s+/g, ' ').trim()}\n\`\`\`\n\n\`\`\`text\n${renderPage(plan).join('\n')}\n\`\`\``,
    );
    return `## ${name}\n\n${call}\n\n${each.length > 0 ? each.join('\n\n') : 'Nothing that does not stand above.'}`;
  });
  return `<!-- Made by \`${script}\`; do not edit. -->

# ${title}

${text} A statement stands where it was asked first, with its slowest run and the plan of that run (\`auto_explain\`: ANALYZE, BUFFERS).

${parts.join('\n\n')}
`;
}

const conditions = [
  'Index Cond',
  'Recheck Cond',
  'Hash Cond',
  'Join Filter',
  'Filter',
  'Sort Key',
  'Conflict Resolution',
];

function renderPage(node: PlanNode, depth = 0): string[] {
  const indent = '  '.repeat(depth);
  const name = [
    node['Subplan Name'],
    node['Operation'] === 'Select' ? null : node['Operation'],
    node['Join Type'],
    node['Node Type'],
  ];
  const on = node['Relation Name'] === undefined ? '' : ` on ${node['Relation Name']}`;
  const by = node['Index Name'] === undefined ? '' : ` by ${node['Index Name']}`;
  const {
    'Plan Rows': wanted,
    'Actual Rows': rows,
    'Actual Loops': loops,
    'Shared Hit Blocks': hit,
    'Shared Read Blocks': read,
  } = node;
  const removed = node['Rows Removed by Filter'] ? `, ${node['Rows Removed by Filter']} filtered out` : '';
  const run =
    loops === 0
      ? 'never run'
      : `rows ${rows} of ${wanted} expected${loops > 1 ? `, ${loops} times` : ''}${removed}; blocks ${hit} hit, ${read} read`;
  const details = conditions.flatMap((key) =>
    node[key] === undefined ? [] : [`${indent}    ${key}: ${String(node[key]).slice(0, 300)}`],
  );
  const below = (node.Plans ?? []).flatMap((each) => renderPage(each, depth + 1));
  return [
    `${indent}${name.filter((each) => each !== null && each !== undefined).join(' ')}${by}${on}  (${run})`,
    ...details,
    ...below,
  ];
}
