import { resubscribeRefused, type MembershipEvent, type MembershipStatus } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

interface Wanted {
  doubleOptIn: boolean;
  allowResubscribe: boolean;
}

/** Changed only while its contact is locked, so that changes of one membership have an order. */
@Entity('memberships')
export class MembershipRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') listId: string;
  @PrimaryColumn('uuid') contactId: string;
  @Column('uuid') id: string;
  @Column('text') status: MembershipStatus | null;
  /** Of the confirmation link, while PENDING. */
  @Column('text', { nullable: true }) tokenHash: string | null;
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  tokenEndsAt: Date | null;
  /** Counts the tokens: each pending period has another one. */
  @Column('bigint') tokenRound: number;
  /** The contact was created by this pending membership and becomes subscribed when it is confirmed. */
  @Column('boolean') subscribesContact: boolean;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

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
