import { Injectable } from '@nestjs/common';
import { DomainError, listTemplateUnknown, serviceCaller, templates } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

/** Shorter than whoever asked waits. */
const callMs = 800;

/** Templates are sending's: whether there is one is asked where a list names it. */
@Injectable()
export class ConfirmationTemplates {
  constructor(private readonly bus: Bus) {}

  async refuseUnknown(projectId: string, id: string): Promise<void> {
    try {
      await this.bus.call(templates.get, serviceCaller('contacts', projectId), { id }, { timeoutMs: callMs });
    } catch (error) {
      throw error instanceof DomainError && error.kind === 'not_found' ? listTemplateUnknown() : error;
    }
  }
}
