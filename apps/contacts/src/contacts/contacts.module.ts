import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ErasuresModule } from '../erasures/erasures.module.js';
import { TombstonesModule } from '../erasures/tombstones.module.js';
import { ContactCounts } from './contact-counts.read-model.js';
import { ContactsService } from './contacts.service.js';
import { ContactsSubscribers } from './contacts.subscribers.js';
import { RecipientsService } from './recipients.service.js';
import { BulkContactsService } from './writes/bulk-contacts.service.js';
import { ContactWritesModule } from './writes/contact-writes.module.js';
import { DeleteContactsService } from './writes/delete-contacts.js';
import { EnsureContactsService } from './writes/ensure-contacts.js';

@Module({
  imports: [ContactWritesModule, ErasuresModule, TombstonesModule],
  providers: [
    ...onDatabase([ContactCounts]),
    ContactsService,
    BulkContactsService,
    DeleteContactsService,
    EnsureContactsService,
    RecipientsService,
    ContactsSubscribers,
  ],
})
export class ContactsModule {}
