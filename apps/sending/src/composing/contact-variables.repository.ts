import type { Database } from '@posthorn/database';

interface ContactFields {
  emailId: string;
  variables: Record<string, unknown>;
}

const withProject = (variables: string, projectId: string): string =>
  `${variables} || jsonb_build_object('project', (
     SELECT jsonb_strip_nulls(jsonb_build_object('name', name, 'time_zone', time_zone, 'language', language, 'postal_address', postal_address))
     FROM project_states WHERE project_id = ${projectId}))`;

/** The row of the main recipient (position 0) holds them for all copies of an e-mail. */
export class ContactVariablesRepository {
  constructor(private readonly database: Database) {}

  async keep(projectId: string, rows: ContactFields[]): Promise<Map<string, Record<string, unknown>>> {
    // Compared with the project of each row: with a single project Postgres would scan all of its deliveries.
    const stored = await this.database.query<ContactFields>(
      `UPDATE deliveries d SET variables = coalesce(
           d.variables,
           ${withProject('s.variables', 's.project_id')})
       FROM unnest($1::uuid[], $2::uuid[], $3::jsonb[]) AS s (project_id, email_id, variables)
       -- Not for an address that was erased meanwhile.
       WHERE d.project_id = s.project_id AND d.email_id = s.email_id AND d.position = 0 AND d.recipient = s.variables->'contact'->>'email'
       RETURNING d.email_id AS "emailId", d.variables`,
      [
        rows.map(() => projectId),
        rows.map(({ emailId }) => emailId),
        rows.map(({ variables }) => JSON.stringify(variables)),
      ],
    );
    return new Map(stored.map(({ emailId, variables }) => [emailId, variables]));
  }

  async withProject(projectId: string, variables: Record<string, unknown>): Promise<Record<string, unknown>> {
    const [row] = await this.database.query<Pick<ContactFields, 'variables'>>(
      `SELECT ${withProject('$2::jsonb', '$1::uuid')} AS variables`,
      [projectId, JSON.stringify(variables)],
    );
    return row!.variables;
  }
}
