import { DeadLetter, InboxRow, OutboxRow } from '@posthorn/messaging';
import { ContactCountDelta, ContactCountRow } from './contacts/contact-count.entity.js';
import { ContactRow } from './contacts/contact.entity.js';
import { CreateContacts1763700000000 } from './migrations/1763700000000-create-contacts.js';

export const entities = [ContactRow, ContactCountRow, ContactCountDelta, OutboxRow, InboxRow, DeadLetter];

export const migrations = [CreateContacts1763700000000];
