import { resubscribeRefused, type MembershipEvent, type MembershipStatus } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

interface Wanted {
  doubleOptIn: boolean;
  allowResubscribe: boolean;
}

/** Changed only while its contact is locked, so that changes of one membership have an order. */
@Entity('memberships')
export class MembershipRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'list_id' }) listId: string;
  @PrimaryColumn('uuid', { name: 'contact_id' }) contactId: string;
  @Column('uuid') id: string;
  @Column('text') status: MembershipStatus | null;
  /** Of the confirmation link, while PENDING. */
  @Column('text', { name: 'token_hash', nullable: true }) tokenHash: string | null;
  @Column({ type: 'timestamptz', name: 'token_ends_at', precision: 3, nullable: true })
  tokenEndsAt: Date | null;
  /** Counts the tokens: each pending period has another one. */
  @Column('bigint', { name: 'token_round' }) tokenRound: number;
  /** The contact was created by this pending membership and becomes subscribed when it is confirmed. */
  @Column('boolean', { name: 'subscribes_contact' }) subscribesContact: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;

  static for(key: Pick<MembershipRow, 'projectId' | 'listId' | 'contactId' | 'id'>): MembershipRow {
    return Object.assign(new MembershipRow(), key, {
      status: null,
      tokenHash: null,
      tokenEndsAt: null,
      tokenRound: 0,
      subscribesContact: false,
    });
  }

  /** A pending or confirmed membership keeps its status, even if the list has changed its double opt-in since. */
  subscribe({ doubleOptIn, allowResubscribe }: Wanted): void {
    if (this.status === 'UNSUBSCRIBED' && !allowResubscribe) throw resubscribeRefused();
    if (this.status === null || this.status === 'UNSUBSCRIBED')
      this.status = doubleOptIn ? 'PENDING' : 'CONFIRMED';
  }

  unsubscribe(): void {
    this.status = 'UNSUBSCRIBED';
  }

  confirm(): void {
    this.status = 'CONFIRMED';
  }

  isConfirmedBy(tokenHash: string, now: Date): boolean {
    return (
      this.status === 'PENDING' &&
      this.tokenHash === tokenHash &&
      this.tokenEndsAt !== null &&
      this.tokenEndsAt > now
    );
  }

  toEvent(): MembershipEvent {
    return { contactId: this.contactId, listId: this.listId, status: this.status!, at: this.updatedAt };
  }
}
