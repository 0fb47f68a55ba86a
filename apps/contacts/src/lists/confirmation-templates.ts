import { Injectable } from '@nestjs/common';
import { DomainError, listTemplateUnknown, serviceCaller, templates } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

const time = { timeoutShare: 0.45 };

@Injectable()
export class ConfirmationTemplates {
  constructor(private readonly bus: Bus) {}

  async refuseUnknown(projectId: string, id: string): Promise<void> {
    try {
      await this.bus.call(templates.get, serviceCaller('contacts', projectId), { id }, time);
    } catch (error) {
      throw error instanceof DomainError && error.kind === 'not_found' ? listTemplateUnknown() : error;
    }
  }
}
