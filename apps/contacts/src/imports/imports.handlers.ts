import { Controller } from '@nestjs/common';
import {
  contactImports,
  type AppendToContactImport,
  type AskContactImportErrors,
  type ContactImport,
  type ContactImportErrors,
  type ContactImportId,
  type ContactImportPage,
  type ContactImportPreview,
  type PageQuery,
  type PreviewContactImport,
  type StartContactImport,
} from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { previewOf } from './import-preview.js';
import { ImportsService } from './imports.service.js';

@Controller()
export class ImportsHandlers {
  constructor(private readonly service: ImportsService) {}

  @Answers(contactImports.start)
  start(call: Incoming<StartContactImport>): Promise<ContactImport> {
    return this.service.start(call);
  }

  @Answers(contactImports.append)
  append(call: Incoming<AppendToContactImport>): Promise<ContactImport> {
    return this.service.append(call);
  }

  @Answers(contactImports.get)
  get({ caller, body }: Incoming<ContactImportId>): Promise<ContactImport> {
    return this.service.get(caller.projectId, body.id);
  }

  @Answers(contactImports.list)
  list({ caller, body }: Incoming<PageQuery>): Promise<ContactImportPage> {
    return this.service.list(caller.projectId, body);
  }

  @Answers(contactImports.errors)
  errors({ caller, body }: Incoming<AskContactImportErrors>): Promise<ContactImportErrors> {
    return this.service.listErrors(caller.projectId, body);
  }

  @Answers(contactImports.cancel)
  cancel(call: Incoming<ContactImportId>): Promise<ContactImport> {
    return this.service.cancel(call);
  }

  @Answers(contactImports.preview)
  preview({ body }: Incoming<PreviewContactImport>): Promise<ContactImportPreview> {
    return Promise.resolve(previewOf(body));
  }
}
