import { Module } from '@nestjs/common';
import { ContactsController } from './contacts.controller.js';
import { ErasuresController } from './erasures.controller.js';
import { ImportUploads } from './import-uploads.js';
import { ImportsController } from './imports.controller.js';
import { PeopleData } from './person-data.js';

@Module({
  controllers: [ContactsController, ImportsController, ErasuresController],
  providers: [ImportUploads, PeopleData],
})
export class ContactsModule {}
