import { resubscribeRefused, type MembershipEvent, type MembershipStatus } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

interface Wanted {
  doubleOptIn: boolean;
  allowResubscribe: boolean;
}

/** Whoever changes one holds its contact: two changes of one membership then have an order. */
@Entity('memberships')
export class MembershipRow {
  @PrimaryColumn('uuid', { name: 'project_id' }) projectId: string;
  @PrimaryColumn('uuid', { name: 'list_id' }) listId: string;
  @PrimaryColumn('uuid', { name: 'contact_id' }) contactId: string;
  @Column('uuid') id: string;
  /** Null for one that is only about to be. */
  @Column('text') status: MembershipStatus | null;
  /** While PENDING: of the token that its confirm link bears. */
  @Column('text', { name: 'token_hash', nullable: true }) tokenHash: string | null;
  @Column({ type: 'timestamptz', name: 'token_ends_at', precision: 3, nullable: true })
  tokenEndsAt: Date | null;
  /** Which of its tokens that is: each waiting has another one. */
  @Column('bigint', { name: 'token_round' }) tokenRound: number;
  /** The contact came to be by this waiting membership, and is subscribed once that is CONFIRMED. */
  @Column('boolean', { name: 'subscribes_contact' }) subscribesContact: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;

  static for(location: Pick<MembershipRow, 'projectId' | 'listId' | 'contactId' | 'id'>): MembershipRow {
    return Object.assign(new MembershipRow(), location, {
      status: null,
      tokenHash: null,
      tokenEndsAt: null,
      tokenRound: 0,
      subscribesContact: false,
    });
  }

  /** Who waits goes on waiting, and who is confirmed stays so, whatever the list wants by now (the API specification, States). */
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

  /** Of a row as it was read; what is over is never brought back. */
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
