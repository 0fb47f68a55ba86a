import { Injectable } from '@nestjs/common';
import { contactNotFound, type ConsentPage, type ListConsents } from '@posthorn/contracts';
import { cappedTotal } from '@posthorn/database';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { ConsentsRepository } from './consents.repository.js';

@Injectable()
export class ConsentsService {
  constructor(
    private readonly consents: ConsentsRepository,
    private readonly contacts: ContactsRepository,
  ) {}

  async list(projectId: string, { id, ...query }: ListConsents): Promise<ConsentPage> {
    if (!(await this.contacts.find(projectId, id))) throw contactNotFound();
    const [page, total] = await Promise.all([
      this.consents.page(projectId, id, query),
      query.withTotal ? this.consents.count(projectId, id).then(cappedTotal) : {},
    ]);
    return { ...page, ...total };
  }
}
