import type { List, ListEvent, UpdateList } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('lists')
export class ListRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('bigint') seq: number;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('boolean') doubleOptIn: boolean;
  @Column('uuid', { nullable: true }) confirmationTemplateId: string | null;
  @Column('text', { nullable: true }) redirectUrl: string | null;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

  /** Null and absent members change nothing; returns whether anything changed. */
  change({ name, description, doubleOptIn, confirmationTemplateId, redirectUrl }: UpdateList): boolean {
    const before = JSON.stringify(this);
    this.name = name ?? this.name;
    this.description = description ?? this.description;
    this.doubleOptIn = doubleOptIn ?? this.doubleOptIn;
    this.confirmationTemplateId = confirmationTemplateId ?? this.confirmationTemplateId;
    this.redirectUrl = redirectUrl ?? this.redirectUrl;
    return JSON.stringify(this) !== before;
  }

  toList(memberCount: number): List {
    const {
      id,
      projectId,
      name,
      description,
      doubleOptIn,
      confirmationTemplateId,
      redirectUrl,
      createdAt,
      updatedAt,
    } = this;
    return {
      id,
      projectId,
      name,
      description,
      doubleOptIn,
      confirmationTemplateId,
      redirectUrl,
      memberCount,
      createdAt,
      updatedAt,
    };
  }

  toEvent(at = this.updatedAt): ListEvent {
    return { listId: this.id, at };
  }
}
