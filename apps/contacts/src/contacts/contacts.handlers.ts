import { Controller } from '@nestjs/common';
import {
  contacts,
  type GetVariables,
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
  type FindSubscribed,
  type RecipientContacts,
  type SendRecipients,
  type SubscribedAddresses,
  type KnownVariables,
  type ListContacts,
  type UnsubscribeContact,
  type UpdateContactById,
} from '@posthorn/contracts';
import { answerEach, Handles, type Incoming } from '@posthorn/messaging';
import { BulkContactsService } from './writes/bulk-contacts.service.js';
import { ContactsService } from './contacts.service.js';
import { DeleteContactsService } from './writes/delete-contacts.js';
import { RecipientsService } from './recipients.service.js';
import { EnsureContactsService } from './writes/ensure-contacts.js';

@Controller()
export class ContactsHandlers {
  constructor(
    private readonly service: ContactsService,
    private readonly ensures: EnsureContactsService,
    private readonly recipients: RecipientsService,
    private readonly deletions: DeleteContactsService,
    private readonly inBulk: BulkContactsService,
  ) {}

  @Handles(contacts.create)
  create(calls: Incoming<CreateContact>[]): Promise<(Contact | Error)[]> {
    return answerEach(calls, (call) => this.service.create(call));
  }

  @Handles(contacts.upsert)
  upsert(calls: Incoming<CreateContact>[]): Promise<(Contact | Error)[]> {
    return answerEach(calls, (call) => this.service.upsert(call));
  }

  @Handles(contacts.bulk)
  bulk(call: Incoming<BulkContacts>): Promise<BulkOutcome> {
    return this.inBulk.write(call);
  }

  @Handles(contacts.deleteMany)
  deleteMany(call: Incoming<DeleteContacts>): Promise<DeletedContacts> {
    return this.deletions.deleteMany(call);
  }

  @Handles(contacts.ensure)
  ensure(calls: Incoming<EnsureContacts>[]): Promise<(EnsuredContacts | Error)[]> {
    return answerEach(calls, (call) => this.ensures.ensure(call));
  }

  @Handles(contacts.ensureRecipients)
  contactsOf(call: Incoming<SendRecipients>): Promise<RecipientContacts> {
    return this.recipients.contactsOf(call);
  }

  @Handles(contacts.variables)
  variables({ caller, body }: Incoming<GetVariables>): Promise<KnownVariables> {
    return this.service.variables(caller.projectId, body.emails);
  }

  @Handles(contacts.subscribed)
  subscribed({ caller, body }: Incoming<FindSubscribed>): Promise<SubscribedAddresses> {
    return this.service.subscribed(caller.projectId, body.emails);
  }

  @Handles(contacts.get)
  get({ caller, body }: Incoming<ContactId>): Promise<Contact> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(contacts.list)
  list({ caller, body }: Incoming<ListContacts>): Promise<ContactPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(contacts.export)
  export({ caller, body }: Incoming<ExportContacts>): Promise<ExportedContacts> {
    return this.service.export(caller.projectId, body);
  }

  @Handles(contacts.update)
  update(call: Incoming<UpdateContactById>): Promise<Contact> {
    return this.service.update(call);
  }

  @Handles(contacts.unsubscribe)
  unsubscribe(call: Incoming<UnsubscribeContact>): Promise<UnsubscribeContact> {
    return this.service.unsubscribe(call);
  }

  @Handles(contacts.delete)
  delete(call: Incoming<ContactId>): Promise<DeletedContact> {
    return this.deletions.delete(call);
  }
}
