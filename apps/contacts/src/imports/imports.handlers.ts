import { Controller } from '@nestjs/common';
import {
  contactImports,
  type AppendToContactImport,
  type ListContactImportErrors,
  type ContactImport,
  type ContactImportErrors,
  type ContactImportId,
  type ContactImportPage,
  type ContactImportPreview,
  type PageQuery,
  type PreviewContactImport,
  type StartContactImport,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { previewOf } from './table/import-preview.js';
import { ImportsService } from './imports.service.js';

@Controller()
export class ImportsHandlers {
  constructor(private readonly service: ImportsService) {}

  @Handles(contactImports.start)
  start(call: Incoming<StartContactImport>): Promise<ContactImport> {
    return this.service.start(call);
  }

  @Handles(contactImports.append)
  append(call: Incoming<AppendToContactImport>): Promise<ContactImport> {
    return this.service.append(call);
  }

  @Handles(contactImports.get)
  get({ caller, body }: Incoming<ContactImportId>): Promise<ContactImport> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(contactImports.list)
  list({ caller, body }: Incoming<PageQuery>): Promise<ContactImportPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(contactImports.errors)
  errors({ caller, body }: Incoming<ListContactImportErrors>): Promise<ContactImportErrors> {
    return this.service.listErrors(caller.projectId, body);
  }

  @Handles(contactImports.cancel)
  cancel(call: Incoming<ContactImportId>): Promise<ContactImport> {
    return this.service.cancel(call);
  }

  @Handles(contactImports.preview)
  preview({ body }: Incoming<PreviewContactImport>): Promise<ContactImportPreview> {
    return Promise.resolve(previewOf(body));
  }
}
