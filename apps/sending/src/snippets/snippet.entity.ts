import type { Snippet, UpdateSnippet } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('snippets')
export class SnippetRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text') body: string;
  @Column('uuid', { name: 'version_id' }) versionId: string;
  @Column('text', { array: true }) includes: string[];
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;

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

/** Versions are immutable and outlive the snippet, because accepted mail may still be rendered from them. */
@Entity('snippet_versions')
export class SnippetVersionRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'snippet_id' }) snippetId: string;
  @Column('text') body: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
