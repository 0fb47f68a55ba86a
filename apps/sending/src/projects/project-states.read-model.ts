import type { ProjectFact } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export type ProjectState = Pick<ProjectFact, 'id' | 'disabled' | 'seq'>;

/** Its name among the read models. */
export const projectStatesName = 'project_states';

/** What sending knows of projects, by the gateway's facts; an older fact never overwrites a newer one. */
export class ProjectStates {
  constructor(private readonly database: Database) {}

  async put(states: ProjectState[]): Promise<void> {
    await this.database.query(
      `INSERT INTO project_states (project_id, disabled, seq)
       SELECT DISTINCT ON (id) id, disabled, seq FROM unnest($1::uuid[], $2::boolean[], $3::bigint[]) AS p (id, disabled, seq) ORDER BY id, seq DESC
       ON CONFLICT (project_id) DO UPDATE SET disabled = excluded.disabled, seq = excluded.seq WHERE project_states.seq < excluded.seq`,
      columnsOf(states),
    );
  }

  /** Whether something is missing between what is known and these states, which are not put yet. */
  async leavesGap(states: ProjectState[]): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM unnest($1::uuid[], $2::boolean[], $3::bigint[]) AS p (id, disabled, seq)
       LEFT JOIN project_states known ON known.project_id = p.id
       WHERE p.seq > coalesce(known.seq, 0)
       GROUP BY p.id, known.seq HAVING count(DISTINCT p.seq) < max(p.seq) - coalesce(known.seq, 0) LIMIT 1`,
      columnsOf(states),
    );
    return rows.length > 0;
  }

  async isEmpty(): Promise<boolean> {
    const rows = await this.database.query(`SELECT 1 FROM project_states LIMIT 1`);
    return rows.length === 0;
  }
}

const columnsOf = (states: ProjectState[]): unknown[] => [
  states.map(({ id }) => id),
  states.map(({ disabled }) => disabled),
  states.map(({ seq }) => seq),
];
