import type { ProjectEvent, Tracking } from '@posthorn/contracts';
import { TtlCache, type Database } from '@posthorn/database';

export type ProjectState = Pick<
  ProjectEvent,
  'id' | 'name' | 'disabled' | 'seq' | 'tracking' | 'language' | 'timeZone' | 'postalAddress' | 'frequencyCap'
>;

export interface ProjectSettings {
  tracking: Tracking;
  language: string;
  name: string;
  timeZone: string;
  postalAddress: string;
}

export const projectStatesName = 'project_states';

export class ProjectStates {
  private readonly settings = new TtlCache((projectId) => this.readSettings(projectId!));

  constructor(private readonly database: Database) {}

  /** An event with the same `seq` may only fill in values that an earlier release did not publish. */
  async put(states: ProjectState[]): Promise<void> {
    await this.database.query(
      `INSERT INTO project_states (project_id, name, disabled, seq, tracking, language, cap_messages, cap_days, time_zone, postal_address)
       SELECT DISTINCT ON (id) id, name, disabled, seq, tracking, language, cap_messages, cap_days, time_zone, postal_address
       FROM unnest($1::uuid[], $2::boolean[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[], $9::text[], $10::text[])
         AS p (id, disabled, seq, tracking, language, name, cap_messages, cap_days, time_zone, postal_address)
       ORDER BY id, seq DESC
       ON CONFLICT (project_id) DO UPDATE
         SET name = coalesce(excluded.name, project_states.name), disabled = excluded.disabled, seq = excluded.seq,
             cap_messages = excluded.cap_messages, cap_days = excluded.cap_days,
             postal_address = excluded.postal_address,
             time_zone = coalesce(excluded.time_zone, project_states.time_zone),
             tracking = coalesce(excluded.tracking, project_states.tracking),
             language = coalesce(excluded.language, project_states.language)
         WHERE project_states.seq < excluded.seq OR (project_states.seq = excluded.seq AND (project_states.tracking IS NULL OR project_states.name IS NULL OR project_states.time_zone IS NULL))`,
      columnsOf(states),
    );
  }

  async leavesGap(states: ProjectState[]): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM unnest($1::uuid[], $2::bigint[]) AS p (id, seq)
       LEFT JOIN project_states known ON known.project_id = p.id
       WHERE p.seq > coalesce(known.seq, 0)
       GROUP BY p.id, known.seq HAVING count(DISTINCT p.seq) < max(p.seq) - coalesce(known.seq, 0) LIMIT 1`,
      [states.map(({ id }) => id), states.map(({ seq }) => seq)],
    );
    return rows.length > 0;
  }

  /** False also for an unknown project, whose mail is not sent. */
  async isEnabled(projectId: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM project_states WHERE project_id = $1 AND NOT disabled`,
      [projectId],
    );
    return rows.length > 0;
  }

  async isEmpty(): Promise<boolean> {
    const rows = await this.database.query(`SELECT 1 FROM project_states LIMIT 1`);
    return rows.length === 0;
  }

  settingsOf(projectId: string): Promise<ProjectSettings> {
    return this.settings.of(projectId);
  }

  private async readSettings(projectId: string): Promise<ProjectSettings> {
    const [row] = await this.database.query<{
      tracking: Tracking | null;
      language: string | null;
      name: string | null;
      timeZone: string | null;
      postalAddress: string | null;
    }>(
      `SELECT tracking, language, name, time_zone AS "timeZone", postal_address AS "postalAddress" FROM project_states WHERE project_id = $1`,
      [projectId],
    );
    const { tracking, language, name, timeZone, postalAddress } = row ?? {};
    return {
      tracking: tracking ?? 'ENABLED',
      language: language ?? 'en',
      name: name ?? '',
      timeZone: timeZone ?? 'UTC',
      postalAddress: postalAddress ?? '',
    };
  }
}

const columnsOf = (states: ProjectState[]): unknown[] => [
  states.map(({ id }) => id),
  states.map(({ disabled }) => disabled),
  states.map(({ seq }) => seq),
  states.map(({ tracking }) => tracking ?? null),
  states.map(({ language }) => language ?? null),
  states.map(({ name }) => name ?? null),
  states.map(({ frequencyCap }) => frequencyCap?.messages ?? null),
  states.map(({ frequencyCap }) => frequencyCap?.days ?? null),
  states.map(({ timeZone }) => timeZone ?? null),
  states.map(({ postalAddress }) => postalAddress ?? null),
];
