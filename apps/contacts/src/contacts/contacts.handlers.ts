import { Controller } from '@nestjs/common';
import {
  contacts,
  type AskVariables,
  type BulkContacts,
  type BulkOutcome,
  type Contact,
  type ContactId,
  type ContactPage,
  type CreateContact,
  type DeleteContacts,
  type DeletedContact,
  type DeletedContacts,
  type EnsureContacts,
  type EnsuredContacts,
  type ExportContacts,
  type ExportedContacts,
  type KnownVariables,
  type ListContacts,
  type UnsubscribeContact,
  type UpdateContactById,
} from '@posthorn/contracts';
import { answerEach, Answers, type Incoming } from '@posthorn/messaging';
import { BulkContactsService } from './bulk-contacts.service.js';
import { ContactsService } from './contacts.service.js';
import { DeleteContactsService } from './delete-contacts.js';
import { EnsureContactsService } from './ensure-contacts.js';

@Controller()
export class ContactsHandlers {
  constructor(
    private readonly service: ContactsService,
    private readonly ensures: EnsureContactsService,
    private readonly deletions: DeleteContactsService,
    private readonly inBulk: BulkContactsService,
  ) {}

  @Answers(contacts.create)
  create(calls: Incoming<CreateContact>[]): Promise<(Contact | Error)[]> {
    return answerEach(calls, (call) => this.service.create(call));
  }

  @Answers(contacts.upsert)
  upsert(calls: Incoming<CreateContact>[]): Promise<(Contact | Error)[]> {
    return answerEach(calls, (call) => this.service.upsert(call));
  }

  @Answers(contacts.bulk)
  bulk(call: Incoming<BulkContacts>): Promise<BulkOutcome> {
    return this.inBulk.write(call);
  }

  @Answers(contacts.deleteMany)
  deleteMany(call: Incoming<DeleteContacts>): Promise<DeletedContacts> {
    return this.deletions.deleteMany(call);
  }

  @Answers(contacts.ensure)
  ensure(calls: Incoming<EnsureContacts>[]): Promise<(EnsuredContacts | Error)[]> {
    return answerEach(calls, (call) => this.ensures.ensure(call));
  }

  @Answers(contacts.variables)
  variables({ caller, body }: Incoming<AskVariables>): Promise<KnownVariables> {
    return this.service.variables(caller.projectId, body.emails);
  }

  @Answers(contacts.get)
  get({ caller, body }: Incoming<ContactId>): Promise<Contact> {
    return this.service.get(caller.projectId, body.id);
  }

  @Answers(contacts.list)
  list({ caller, body }: Incoming<ListContacts>): Promise<ContactPage> {
    return this.service.list(caller.projectId, body);
  }

  @Answers(contacts.export)
  export({ caller, body }: Incoming<ExportContacts>): Promise<ExportedContacts> {
    return this.service.export(caller.projectId, body);
  }

  @Answers(contacts.update)
  update(call: Incoming<UpdateContactById>): Promise<Contact> {
    return this.service.update(call);
  }

  @Answers(contacts.unsubscribe)
  unsubscribe(call: Incoming<UnsubscribeContact>): Promise<UnsubscribeContact> {
    return this.service.unsubscribe(call);
  }

  @Answers(contacts.delete)
  delete(call: Incoming<ContactId>): Promise<DeletedContact> {
    return this.deletions.delete(call);
  }
}
