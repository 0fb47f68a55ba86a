import { isDeepStrictEqual } from 'node:util';
import type { Contact, ContactEvent } from '@posthorn/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { mergeFields, withoutNulls, type CustomFields } from './writes/custom-fields.js';

export interface ContactChange {
  subscribed?: boolean;
  customFields?: CustomFields;
  customFieldsMode: 'MERGE' | 'REPLACE';
}

/** A change of the subscription is published as such, whatever else changes (docs/api-decisions.md §8). */
export type ContactChanged = 'updated' | 'subscribed' | 'unsubscribed';

@Entity('contacts')
export class ContactRow {
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') id: string;
  @Column('text') email: string;
  @Column('boolean') subscribed: boolean;
  @Column('jsonb') customFields: CustomFields;
  @Column('bigint') seq: number;
  @Column({ type: 'timestamptz', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', precision: 3 }) updatedAt: Date;

  change({
    subscribed = this.subscribed,
    customFields,
    customFieldsMode,
  }: ContactChange): ContactChanged | null {
    const fields = this.changedFields(customFields, customFieldsMode);
    const flipped = subscribed !== this.subscribed;
    const otherFields = !isDeepStrictEqual(fields, this.customFields);
    this.subscribed = subscribed;
    this.customFields = fields;
    return flipped ? (subscribed ? 'subscribed' : 'unsubscribed') : otherFields ? 'updated' : null;
  }

  copy(): ContactRow {
    return Object.assign(new ContactRow(), this);
  }

  toContact(): Contact {
    const { id, projectId, email, subscribed, customFields, createdAt, updatedAt } = this;
    return { id, projectId, email, subscribed, customFields, createdAt, updatedAt };
  }

  toEvent(): ContactEvent {
    return {
      contactId: this.id,
      email: this.email,
      subscribed: this.subscribed,
      at: this.updatedAt,
      seq: this.seq,
    };
  }

  private changedFields(
    changes: CustomFields | undefined,
    mode: ContactChange['customFieldsMode'],
  ): CustomFields {
    if (!changes) return this.customFields;
    return mode === 'REPLACE' ? withoutNulls(changes) : mergeFields(this.customFields, changes);
  }
}
