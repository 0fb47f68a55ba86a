import { Injectable } from '@nestjs/common';
import type { ConsentPage, ListConsents } from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { ConsentsRepository } from './consents.repository.js';

@Injectable()
export class ConsentsService {
  constructor(
    private readonly consents: ConsentsRepository,
    private readonly contacts: ContactsRepository,
  ) {}

  async list(projectId: string, { id, ...query }: ListConsents): Promise<ConsentPage> {
    await this.contacts.findOrFail(projectId, id);
    return pageWithTotal(query, this.consents.page(projectId, id, query), () =>
      this.consents.count(projectId, id),
    );
  }
}
