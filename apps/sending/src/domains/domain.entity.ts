import {
  invalidMember,
  normaliseDomain,
  type SendingDomainEvent,
  type RecordStatus,
  type Region,
  type EmailCategory,
  type UpdateDomain,
} from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PolicyFinding } from './checks/domain-check.js';
import type { SpfFinding } from './checks/spf-evaluation.js';
import { covers } from './checks/host-names.js';

export interface Findings {
  proof: RecordStatus;
  spf: SpfFinding;
  mailFromDomain: string | null;
  mailFrom: RecordStatus;
  policy: PolicyFinding;
  tracking: RecordStatus;
  receiving: RecordStatus;
}

const hour = 3_600_000;
/** Tolerates missing records while a zone is being moved or repaired. */
const grace = 72 * hour;

@Entity('domains')
export class DomainRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') domain: string;
  @Column('boolean') verified: boolean;
  @Column('boolean') vouched: boolean;
  @Column('boolean') isDefault: boolean;
  @Column('text', { nullable: true }) defaultFromAddress: string | null;
  @Column('text') region: Region;
  @Column('text', { name: 'stream', nullable: true }) category: EmailCategory | null;
  @Column('boolean', { name: 'stream_default' }) isCategoryDefault: boolean;
  @Column('text') spfStatus: RecordStatus;
  @Column('text', { nullable: true }) spfProblem: string | null;
  @Column('text') dmarcStatus: RecordStatus;
  /** The DMARC policy requires signatures of exactly this domain. */
  @Column('boolean') dmarcStrict: boolean;
  @Column('text', { nullable: true }) mailFromDomain: string | null;
  @Column('text') mailFromStatus: RecordStatus;
  @Column('text', { nullable: true }) trackingHost: string | null;
  @Column('text') trackingStatus: RecordStatus;
  @Column('boolean') receivingEnabled: boolean;
  @Column('text') receivingStatus: RecordStatus;
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastCheckedAt: Date | null;
  @Column({ type: 'timestamptz', precision: 3, nullable: true }) lostSince: Date | null;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

  get sender(): string {
    return this.defaultFromAddress ?? `hello@${this.domain}`;
  }

  applyFindings(findings: Findings, now: Date): 'verified' | 'unverified' | null {
    this.spfStatus = settled(this.spfStatus, findings.spf.status);
    if (findings.spf.status !== 'PENDING') this.spfProblem = findings.spf.problem;
    this.mailFromDomain = findings.mailFromDomain;
    this.mailFromStatus = settled(this.mailFromStatus, findings.mailFrom);
    this.trackingStatus = settled(this.trackingStatus, findings.tracking);
    this.receivingStatus = settled(this.receivingStatus, findings.receiving);
    if (findings.policy.status !== 'PENDING') this.dmarcStrict = findings.policy.strict;
    this.dmarcStatus = settled(this.dmarcStatus, findings.policy.status);
    this.lastCheckedAt = now;
    return this.vouched ? null : this.prove(findings.proof, now);
  }

  private prove(proof: RecordStatus, now: Date): 'verified' | 'unverified' | null {
    const was = this.verified;
    if (proof === 'VERIFIED') {
      this.lostSince = null;
      this.verified = true;
    } else if (proof === 'FAILED' && was) {
      this.lostSince ??= now;
      this.verified = now.getTime() - this.lostSince.getTime() < grace;
    }
    if (was === this.verified) return null;
    return this.verified ? 'verified' : 'unverified';
  }

  change({ stream, streamDefault, defaultFromAddress, trackingHost }: UpdateDomain): void {
    if (stream !== undefined) {
      // The default of a category applies to the category of the domain only.
      this.isCategoryDefault &&= stream === this.category;
      this.category = stream;
    }
    if (streamDefault !== undefined) this.isCategoryDefault = streamDefault;
    if (this.isCategoryDefault && this.category === null)
      throw invalidMember(['streamDefault'], 'not_allowed', 'needs a stream');
    if (defaultFromAddress !== undefined) this.defaultFromAddress = this.ownAddress(defaultFromAddress);
    if (trackingHost !== undefined) this.trackAt(trackingHost);
  }

  toEvent(at: Date): SendingDomainEvent {
    return { domainId: this.id, domain: this.domain, at };
  }

  private ownAddress(address: string | null): string | null {
    if (address !== null && !covers(this.domain, address.slice(address.lastIndexOf('@') + 1))) {
      throw invalidMember(['defaultFromAddress'], 'not_allowed', 'must be an address of the domain');
    }
    return address;
  }

  private trackAt(name: string | null): void {
    const host = name === null ? null : normaliseDomain(name);
    if (name !== null && (host === null || host === this.domain || !covers(this.domain, host))) {
      throw invalidMember(['trackingHost'], 'not_allowed', 'must be a host name beneath the domain');
    }
    if (host !== this.trackingHost) this.trackingStatus = 'NOT_CHECKED';
    this.trackingHost = host;
  }
}

export const settled = (was: RecordStatus, found: RecordStatus): RecordStatus =>
  found === 'PENDING' && was === 'VERIFIED' ? was : found;
