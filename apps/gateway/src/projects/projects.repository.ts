import { Injectable } from '@nestjs/common';
import { Database, pageLimit, toPage, type Page, type PageRequest } from '@posthorn/database';
import type { Repository } from 'typeorm';
import { ProjectRow } from './project.entity.js';

const memberOf = 'SELECT project_id FROM members WHERE user_id = :userId';

/** The only table whose rows are projects instead of belonging to one. */
@Injectable()
export class ProjectsRepository {
  constructor(private readonly database: Database) {}

  private get rows(): Repository<ProjectRow> {
    return this.database.manager.getRepository(ProjectRow);
  }

  find(projectId: string): Promise<ProjectRow | null> {
    return this.rows.findOneBy({ id: projectId });
  }

  /** Serialises changes, so that each gets its own `seq`; the lock does not block rows that reference the project. */
  findForUpdate(projectId: string): Promise<ProjectRow | null> {
    return this.rows.findOne({ where: { id: projectId }, lock: { mode: 'for_no_key_update' } });
  }

  async insert(row: ProjectRow): Promise<void> {
    await this.rows.insert(row);
  }

  async insertNew(row: ProjectRow): Promise<boolean> {
    const { raw } = await this.rows
      .createQueryBuilder()
      .insert()
      .values(row)
      .orIgnore()
      .returning('id')
      .execute();
    return (raw as unknown[]).length > 0;
  }

  async save(row: ProjectRow): Promise<void> {
    await this.rows.save(row);
  }

  async pageOf(userId: string, request: PageRequest): Promise<Page<ProjectRow>> {
    const query = this.rows.createQueryBuilder('row').where(`row.id IN (${memberOf})`, { userId });
    if (request.after) query.andWhere('(row.createdAt, row.id) < (:at, :id)', request.after);
    const newest = query.orderBy('row.createdAt', 'DESC').addOrderBy('row.id', 'DESC');
    return toPage(await newest.limit(pageLimit(request) + 1).getMany(), request);
  }

  countOf(userId: string): Promise<number> {
    return this.rows.createQueryBuilder('row').where(`row.id IN (${memberOf})`, { userId }).getCount();
  }

  async page(request: PageRequest): Promise<Page<ProjectRow>> {
    const query = this.rows
      .createQueryBuilder('row')
      .orderBy('row.createdAt', 'DESC')
      .addOrderBy('row.id', 'DESC');
    if (request.after) query.where('(row.createdAt, row.id) < (:at, :id)', request.after);
    const rows = await query.limit(pageLimit(request) + 1).getMany();
    return toPage(rows, request);
  }
}
