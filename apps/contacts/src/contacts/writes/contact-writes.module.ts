import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { ContactsRepository } from '../contacts.repository.js';
import { OptOutsRepository } from '../opt-outs.repository.js';
import { OptOuts } from '../opt-outs.js';
import { ContactWrites } from './contact-writes.js';
import { ContactWritesRepository } from './contact-writes.repository.js';
import { GatheredWrites } from './gathered-writes.js';
import { LimitedChanges } from './limited-changes.js';

@Module({
  providers: [
    ...onDatabase([ContactsRepository, ContactWritesRepository, OptOutsRepository]),
    ContactWrites,
    GatheredWrites,
    LimitedChanges,
    OptOuts,
  ],
  exports: [ContactsRepository, ContactWrites, GatheredWrites, LimitedChanges, OptOuts],
})
export class ContactWritesModule {}
