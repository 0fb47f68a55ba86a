import { once, EventEmitter } from 'node:events';
import type pg from 'pg';

/** One node of a plan, as Postgres writes it. */
export interface PlanNode {
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
