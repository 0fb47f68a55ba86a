import { Injectable } from '@nestjs/common';
import { consents, type ConsentPage, type ListConsents } from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { ConsentsRepository } from './consents.repository.js';

@Injectable()
export class ConsentsService {
  constructor(
    private readonly consents: ConsentsRepository,
    private readonly contacts: ContactsRepository,
  ) {}

  @Handles(consents.list)
  async list({
    caller: { projectId },
    body: { id, ...query },
  }: Incoming<ListConsents>): Promise<ConsentPage> {
    await this.contacts.findOrFail(projectId, id);
    return pageWithTotal(query, this.consents.page(projectId, id, query), () =>
      this.consents.count(projectId, id),
    );
  }
}
