import { Injectable } from '@nestjs/common';
import type { AuditFilter, AuditOutcome, Caller, ListAuditEntries } from '@posthorn/contracts';
import { Database, keysetCondition, newId, pageLimit, toPage, totalCap, type Page } from '@posthorn/database';
import { AuditEntryRow } from './audit-entry.entity.js';

export interface Action {
  /** Null means now. */
  at: Date | null;
  actor: Caller['actor'];
  address: string | null;
  action: string;
  resource: { type: string; id: string };
  outcome: AuditOutcome;
}

const columns = `project_id AS "projectId", id, created_at AS "createdAt", actor_kind AS "actorKind", actor_id AS "actorId",
  actor_name AS "actorName", address, action, resource_type AS "resourceType", resource_id AS "resourceId", outcome`;

@Injectable()
export class AuditEntriesRepository {
  constructor(private readonly database: Database) {}

  async insert(projectId: string, actions: readonly Action[]): Promise<void> {
    await this.database.query(
      `INSERT INTO audit_entries (project_id, id, created_at, actor_kind, actor_id, actor_name, address, action, resource_type, resource_id, outcome)
       SELECT $1, id, coalesce(at, now()), kind, actor, name, address, action, type, resource, outcome
       FROM unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])
         AS d (id, at, kind, actor, name, address, action, type, resource, outcome)`,
      [
        projectId,
        actions.map(() => newId()),
        actions.map(({ at }) => at),
        actions.map(({ actor }) => actor.kind),
        actions.map(({ actor }) => actor.id),
        actions.map(({ actor }) => actor.name ?? null),
        actions.map(({ address }) => address),
        actions.map(({ action }) => action),
        actions.map(({ resource }) => resource.type),
        actions.map(({ resource }) => resource.id),
        actions.map(({ outcome }) => outcome),
      ],
    );
  }

  async list(projectId: string, request: ListAuditEntries): Promise<Page<AuditEntryRow>> {
    const { sql, parameters } = this.pageStatement(projectId, request);
    const rows = await this.database.query<AuditEntryRow>(sql, parameters);
    return toPage(
      rows.map((row) => Object.assign(new AuditEntryRow(), row)),
      request,
    );
  }

  /** Counts one row more than the cap, which shows that there are more (docs/api-decisions.md §1). */
  async count(projectId: string, filter: AuditFilter): Promise<number> {
    const { sql, parameters } = conditionsOf(projectId, filter);
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM audit_entries WHERE ${sql} LIMIT ${totalCap + 1}) AS found`,
      parameters,
    );
    return row!.count;
  }

  async renameResource(
    projectId: string,
    type: string,
    id: string,
    name: string,
    most: number,
  ): Promise<number> {
    const renamed = await this.database.query(
      `UPDATE audit_entries SET resource_id = $4 WHERE project_id = $1 AND id = ANY (ARRAY(
         SELECT id FROM audit_entries WHERE project_id = $1 AND action = ANY ($5::text[]) AND resource_type = $2 AND resource_id = $3 LIMIT $6
       )) RETURNING 1`,
      [projectId, type, id, name, ['added', 'removed'].map((action) => `${type}.${action}`), most],
    );
    return renamed.length;
  }

  pageStatement(projectId: string, request: ListAuditEntries): { sql: string; parameters: unknown[] } {
    const { sql, parameters } = conditionsOf(projectId, request);
    const keyset = keysetCondition(request.after, parameters.length + 1);
    return {
      sql: `SELECT ${columns} FROM audit_entries WHERE ${sql} ${keyset.sql} ORDER BY created_at DESC, id DESC LIMIT ${pageLimit(request) + 1}`,
      parameters: [...parameters, ...keyset.parameters],
    };
  }
}

/** Unused filters are left out, so that each combination gets its own query plan. */
function conditionsOf(
  projectId: string,
  { actor, action, createdAfter, createdBefore }: AuditFilter,
): { sql: string; parameters: unknown[] } {
  const requested: [condition: string, value: unknown][] = [
    ['project_id =', projectId],
    ['actor_id =', actor],
    ['action =', action],
    ['created_at >', createdAfter],
    ['created_at <', createdBefore],
  ];
  const given = requested.filter(([, value]) => value !== undefined);
  return {
    sql: given.map(([condition], index) => `${condition} $${index + 1}`).join(' AND '),
    parameters: given.map(([, value]) => value),
  };
}
