import type { Snippet, UpdateSnippet } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('snippets')
export class SnippetRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text') body: string;
  @Column('uuid') versionId: string;
  @Column('text', { array: true }) includes: string[];
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

  toSnippet(): Snippet {
    const { id, projectId, name, description, body, createdAt, updatedAt } = this;
    return { id, projectId, name, description, body, createdAt, updatedAt };
  }

  change(
    { name = this.name, description = this.description, body = this.body }: UpdateSnippet,
    includes = this.includes,
  ): 'version' | 'row' | null {
    const newVersion = body !== this.body;
    const newRow = name !== this.name || description !== this.description;
    Object.assign(this, { name, description, body, includes }, newVersion ? { versionId: newId() } : {});
    return newVersion ? 'version' : newRow ? 'row' : null;
  }
}
