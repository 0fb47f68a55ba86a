import { Module } from '@nestjs/common';
import { BulkContactWrites } from './bulk-contacts.js';
import { ContactExports } from './contact-exports.js';
import { ImportReports } from './import-reports.js';
import { ContactsController } from './contacts.controller.js';
import { ImportUploads } from './import-uploads.js';
import { ImportsController } from './imports.controller.js';
import { PeopleData } from './person-data.js';

@Module({
  controllers: [ContactsController, ImportsController],
  providers: [BulkContactWrites, ContactExports, ImportReports, ImportUploads, PeopleData],
})
export class ContactsModule {}
