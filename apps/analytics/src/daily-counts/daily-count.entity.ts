import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('daily_counts')
export class DailyCountRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('date') day: string;
  @Column('bigint') emails: number;
  @Column('bigint') delivered: number;
  @Column('bigint') opens: number;
  @Column('bigint') clicks: number;
  @Column('bigint') bounces: number;
}
