import { Injectable } from '@nestjs/common';
import { confinedTemplatesUnknown, templates, type Caller, type Confine } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';

@Injectable()
export class KeyTemplates {
  constructor(private readonly bus: Bus) {}

  async refuseForeign(caller: Caller, confine: Confine | null | undefined): Promise<void> {
    const ids = confine?.templateIds ?? [];
    if (ids.length === 0) return;
    const known = new Set((await this.bus.call(templates.known, caller, { ids })).ids);
    const unknown = ids.flatMap((id, index) => (known.has(id.toLowerCase()) ? [] : [index]));
    if (unknown.length > 0) throw confinedTemplatesUnknown(unknown);
  }
}
