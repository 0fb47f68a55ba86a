import type { ProjectFact, Tracking } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export type ProjectState = Pick<ProjectFact, 'id' | 'disabled' | 'seq' | 'tracking' | 'language'>;

export interface ProjectSettings {
  tracking: Tracking;
  language: string;
}

/** Its name among the read models. */
export const projectStatesName = 'project_states';

const usual: ProjectSettings = { tracking: 'ENABLED', language: 'en' };
const maxAgeMs = 1_000;
const mostRemembered = 10_000;

interface Remembered {
  settings: ProjectSettings;
  askedAt: number;
}

/** What sending knows of projects, by the gateway's facts; an older fact never overwrites a newer one. */
export class ProjectStates {
  private readonly remembered = new Map<string, Remembered>();

  constructor(private readonly database: Database) {}

  /** A state of the same change may only add what an earlier release did not tell of it. */
  async put(states: ProjectState[]): Promise<void> {
    await this.database.query(
      `INSERT INTO project_states (project_id, disabled, seq, tracking, language)
       SELECT DISTINCT ON (id) id, disabled, seq, tracking, language
       FROM unnest($1::uuid[], $2::boolean[], $3::bigint[], $4::text[], $5::text[]) AS p (id, disabled, seq, tracking, language)
       ORDER BY id, seq DESC
       ON CONFLICT (project_id) DO UPDATE
         SET disabled = excluded.disabled, seq = excluded.seq, tracking = coalesce(excluded.tracking, project_states.tracking),
             language = coalesce(excluded.language, project_states.language)
         WHERE project_states.seq < excluded.seq OR (project_states.seq = excluded.seq AND project_states.tracking IS NULL)`,
      columnsOf(states),
    );
  }

  /** Whether something is missing between what is known and these states, which are not put yet. */
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

  async isEmpty(): Promise<boolean> {
    const rows = await this.database.query(`SELECT 1 FROM project_states LIMIT 1`);
    return rows.length === 0;
  }

  /** At most a second old; a project that nobody has told of yet has the usual ones. */
  async settingsOf(projectIds: readonly string[]): Promise<Map<string, ProjectSettings>> {
    const askedAt = performance.now();
    const fresh = (id: string): boolean => askedAt - (this.remembered.get(id)?.askedAt ?? -Infinity) < maxAgeMs;
    const unknown = [...new Set(projectIds)].filter((id) => !fresh(id));
    if (unknown.length > 0) await this.remember(unknown, askedAt);
    return new Map(projectIds.map((id) => [id, this.remembered.get(id)?.settings ?? usual]));
  }

  private async remember(projectIds: string[], askedAt: number): Promise<void> {
    const rows = await this.database.query<{ id: string; tracking: Tracking | null; language: string | null }>(
      `SELECT project_id AS id, tracking, language FROM project_states WHERE project_id = ANY($1::uuid[])`,
      [projectIds],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    if (this.remembered.size + projectIds.length > mostRemembered) this.remembered.clear();
    for (const id of projectIds) {
      const { tracking, language } = found.get(id) ?? {};
      this.remembered.set(id, { askedAt, settings: { tracking: tracking ?? usual.tracking, language: language ?? usual.language } });
    }
  }
}

const columnsOf = (states: ProjectState[]): unknown[] => [
  states.map(({ id }) => id),
  states.map(({ disabled }) => disabled),
  states.map(({ seq }) => seq),
  states.map(({ tracking }) => tracking ?? null),
  states.map(({ language }) => language ?? null),
];
