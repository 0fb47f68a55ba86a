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
  /** Of the present body. */
  @Column('uuid', { name: 'version_id' }) versionId: string;
  /** The snippets that it includes itself. */
  @Column('text', { array: true }) includes: string[];
  /** Rises with every change. */
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;

  toSnippet(): Snippet {
    const { id, projectId, name, description, body, createdAt, updatedAt } = this;
    return { id, projectId, name, description, body, createdAt, updatedAt };
  }

  /** Takes the change over; another body is another version. */
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

/** What a snippet once said. Never changed, and kept when the snippet goes: accepted mail may still be rendered from it. */
@Entity('snippet_versions')
export class SnippetVersionRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'snippet_id' }) snippetId: string;
  @Column('text') body: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
