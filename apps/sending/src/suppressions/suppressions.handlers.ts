import { Controller } from '@nestjs/common';
import {
  suppressionImports,
  suppressions,
  type ImportSuppressions,
  type ListSuppressions,
  type PutSuppression,
  type RemovedSuppression,
  type Suppression,
  type SuppressionAddress,
  type SuppressionImport,
  type SuppressionImportId,
  type SuppressionPage,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { SuppressionImports } from './suppression-imports.js';
import { SuppressionsService } from './suppressions.service.js';

@Controller()
export class SuppressionsHandlers {
  constructor(
    private readonly service: SuppressionsService,
    private readonly imports: SuppressionImports,
  ) {}

  @Handles(suppressions.put)
  put({ caller, body }: Incoming<PutSuppression>): Promise<Suppression> {
    return this.service.put(caller, body);
  }

  @Handles(suppressions.list)
  list({ caller, body }: Incoming<ListSuppressions>): Promise<SuppressionPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(suppressions.get)
  get({ caller, body }: Incoming<SuppressionAddress>): Promise<Suppression> {
    return this.service.get(caller.projectId, body.email);
  }

  @Handles(suppressions.remove)
  async remove({ caller, body }: Incoming<SuppressionAddress>): Promise<RemovedSuppression> {
    return { email: body.email, deleted: await this.service.remove(caller.projectId, body.email) };
  }

  @Handles(suppressionImports.start)
  startImport({ caller, body }: Incoming<ImportSuppressions>): Promise<SuppressionImport> {
    return this.imports.start(caller, body.csv);
  }

  @Handles(suppressionImports.get)
  getImport({ caller, body }: Incoming<SuppressionImportId>): Promise<SuppressionImport> {
    return this.imports.get(caller.projectId, body.id);
  }
}
