import type {
  EmailCategory,
  Template,
  TemplateEvent,
  TemplateFormat,
  TemplateVersion,
  UpdateTemplate,
} from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

const versioned = ['subject', 'body', 'format', 'from', 'fromName', 'replyTo'] as const;
const settings = ['name', 'description', 'emailCategory'] as const;

abstract class TemplateContent {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') subject: string;
  @Column('text') body: string;
  @Column('text') format: TemplateFormat;
  @Column('text', { name: 'from_email', nullable: true }) from: string | null;
  @Column('text', { nullable: true }) fromName: string | null;
  @Column('text', { nullable: true }) replyTo: string | null;
}

@Entity('templates')
export class TemplateRow extends TemplateContent {
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text') emailCategory: EmailCategory;
  @Column('integer') version: number;
  @Column('text', { array: true }) includes: string[];
  @Column('boolean') liquid: boolean;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

  change(changes: UpdateTemplate): 'version' | 'row' | null {
    const differs = (names: readonly (keyof UpdateTemplate)[]) =>
      names.some((name) => changes[name] !== undefined && changes[name] !== this[name]);
    const [newVersion, newRow] = [differs(versioned), differs(settings)];
    Object.assign(this, changes);
    if (newVersion) this.version += 1;
    return newVersion ? 'version' : newRow ? 'row' : null;
  }

  toTemplate(): Template {
    const { includes: _includes, liquid: _liquid, seq: _seq, ...shown } = this;
    return { ...shown, currentVersion: this.version };
  }

  toEvent(): TemplateEvent {
    return { templateId: this.id, version: this.version, at: this.updatedAt };
  }
}

/** Versions are immutable and outlive the template, because accepted mail may still be rendered from them. */
@Entity('template_versions')
export class TemplateVersionRow extends TemplateContent {
  @Column('uuid') templateId: string;
  @Column('integer') version: number;
  @Column('text', { nullable: true }) html: string | null;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;

  toVersion(): TemplateVersion {
    const { version, subject, body, format, from, fromName, replyTo, createdAt } = this;
    return { version, subject, body, format, from, fromName, replyTo, createdAt };
  }
}
