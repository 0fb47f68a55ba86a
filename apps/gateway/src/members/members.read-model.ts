import { Injectable } from '@nestjs/common';
import type { Member, PageQuery } from '@posthorn/contracts';
import { Database, pageLimit, toPage } from '@posthorn/database';
import type { DomainPage } from '../dialects/dialect.js';

const selected = `
  SELECT member.user_id AS id, member.user_id AS "userId", person.email, person.name, member.role, member.created_at AS "createdAt"
  FROM members member JOIN auth_users person ON person.id = member.user_id
  WHERE member.project_id = $1`;

@Injectable()
export class MembersReadModel {
  constructor(private readonly database: Database) {}

  async find(projectId: string, userId: string): Promise<Member | null> {
    const [member] = await this.database.query<Member>(`${selected} AND member.user_id = $2`, [
      projectId,
      userId,
    ]);
    return member ?? null;
  }

  async first(projectId: string, limit: number): Promise<Member[]> {
    const rows = await this.database.query<Member & { id: string }>(
      `${selected} ORDER BY member.created_at DESC, member.user_id DESC LIMIT $2`,
      [projectId, limit],
    );
    return rows.map(({ id: _, ...member }) => member);
  }

  /** Of anybody who can sign in, member or not. */
  async userWith(email: string): Promise<string | null> {
    const [person] = await this.database.query<{ id: string }>(`SELECT id FROM auth_users WHERE email = $1`, [
      email,
    ]);
    return person?.id ?? null;
  }

  async page(projectId: string, request: PageQuery): Promise<DomainPage> {
    const position = request.after
      ? 'AND (member.created_at, member.user_id) < ($3::timestamptz, $4::uuid)'
      : '';
    const rows = await this.database.query<Member & { id: string }>(
      `${selected} ${position} ORDER BY member.created_at DESC, member.user_id DESC LIMIT $2`,
      [projectId, pageLimit(request) + 1, ...(request.after ? [request.after.at, request.after.id] : [])],
    );
    return { ...toPage(rows, request), ...(request.withTotal ? { total: await this.count(projectId) } : {}) };
  }

  private async count(projectId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM members WHERE project_id = $1`,
      [projectId],
    );
    return row!.count;
  }
}
