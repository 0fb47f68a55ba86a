import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { DisabledReason, FrequencyCap, Tracking, UpdateProject } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

const settings = ['name', 'tracking', 'language', 'timeZone', 'postalAddress', 'frequencyCap'] as const;

@Entity('projects')
export class ProjectRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) disabledReason: DisabledReason | null;
  @Column('text') sandboxHandle: string;
  /** In requests per second; null means the configured default. */
  @Column('integer', { nullable: true }) secretPerSecond: number | null;
  @Column('integer', { nullable: true }) publicPerSecond: number | null;
  @Column('text') tracking: Tracking;
  @Column('text') region: string;
  @Column('text') language: string;
  @Column('text') timeZone: string;
  @Column('text', { nullable: true }) postalAddress: string | null;
  @Column('jsonb', { nullable: true }) frequencyCap: FrequencyCap | null;
  @Column('uuid', { nullable: true }) createdBy: string | null;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;
  /** When the operator last enabled it; what came back before does not count for its reputation. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) enabledAt: Date | null;
  @Column('bigint') seq: number;

  static found(name: string, at: Date, createdBy: string | null): ProjectRow {
    return Object.assign(new ProjectRow(), {
      id: newId(),
      name,
      disabledReason: null,
      sandboxHandle: `p-${randomBytes(6).toString('hex')}`,
      secretPerSecond: null,
      publicPerSecond: null,
      tracking: 'ENABLED',
      region: 'us-east-1',
      language: 'en',
      timeZone: 'UTC',
      postalAddress: null,
      frequencyCap: null,
      createdBy,
      createdAt: at,
      updatedAt: at,
      enabledAt: null,
      seq: 1,
    } satisfies Partial<ProjectRow>);
  }

  get disabled(): boolean {
    return this.disabledReason !== null;
  }

  sandboxAddress(domain: string): string {
    return `${this.sandboxHandle}@${domain}`;
  }

  disable(reason: DisabledReason, at: Date): boolean {
    if (this.disabledReason === reason) return false;
    this.disabledReason = reason;
    return this.changed(at);
  }

  enable(at: Date): boolean {
    if (!this.disabled) return false;
    this.disabledReason = null;
    this.enabledAt = at;
    return this.changed(at);
  }

  limit(secretPerSecond: number | null, publicPerSecond: number | null, at: Date): void {
    this.secretPerSecond = secretPerSecond;
    this.publicPerSecond = publicPerSecond;
    this.changed(at);
  }

  settle(wanted: UpdateProject, at: Date): boolean {
    const changes = settings.filter(
      (name) => wanted[name] !== undefined && !isSame(wanted[name], this[name]),
    );
    if (changes.length === 0) return false;
    Object.assign(this, Object.fromEntries(changes.map((name) => [name, wanted[name]])));
    return this.changed(at);
  }

  private changed(at: Date): true {
    this.updatedAt = at;
    this.seq = Number(this.seq) + 1;
    return true;
  }
}

/** Members of a request are instances of their classes, those of a row are not. */
const isSame = (wanted: unknown, known: unknown): boolean =>
  isDeepStrictEqual(structuredClone(wanted), structuredClone(known));
