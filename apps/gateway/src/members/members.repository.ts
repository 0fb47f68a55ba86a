import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import type { Repository } from 'typeorm';
import { MemberRow } from './member.entity.js';

@Injectable()
export class MembersRepository {
  constructor(private readonly database: Database) {}

  private get rows(): Repository<MemberRow> {
    return this.database.manager.getRepository(MemberRow);
  }

  find(projectId: string, userId: string): Promise<MemberRow | null> {
    return this.rows.findOneBy({ projectId, userId });
  }

  findForShare(projectId: string, userId: string): Promise<MemberRow | null> {
    return this.rows.findOne({ where: { projectId, userId }, lock: { mode: 'pessimistic_read' } });
  }

  async hasAddress(projectId: string, email: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM members m JOIN auth_users person ON person.id = m.user_id WHERE m.project_id = $1 AND lower(person.email) = $2`,
      [projectId, email],
    );
    return rows.length > 0;
  }

  async insert(row: MemberRow): Promise<void> {
    await this.rows.insert(row);
  }

  async save(row: MemberRow): Promise<void> {
    await this.rows.save(row);
  }

  async remove({ projectId, userId }: MemberRow): Promise<void> {
    await this.rows.delete({ projectId, userId });
  }

  countOwners(projectId: string): Promise<number> {
    return this.rows.countBy({ projectId, role: 'OWNER' });
  }
}
