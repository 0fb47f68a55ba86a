import type { Topic, TopicEvent, UpdateTopic } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('topics')
export class TopicRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') key: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('boolean') defaultOptIn: boolean;
  @Column('boolean') archived: boolean;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

  /** Returns whether anything changed. */
  change({
    name = this.name,
    description = this.description,
    defaultOptIn = this.defaultOptIn,
    archived = this.archived,
  }: UpdateTopic): boolean {
    const before = JSON.stringify(this);
    Object.assign(this, { name, description, defaultOptIn, archived });
    return JSON.stringify(this) !== before;
  }

  toTopic(): Topic {
    const { seq: _, ...topic } = this;
    return topic;
  }

  toEvent(): TopicEvent {
    return { topicId: this.id, at: this.updatedAt };
  }
}
