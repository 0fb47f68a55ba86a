import { Injectable } from '@nestjs/common';
import {
  templates,
  type Caller,
  type LintReport,
  type LintTemplate,
  type PreviewTemplateById,
  type RenderedTemplate,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { LimitedRuns } from '@posthorn/platform';
import { PreviewsService } from './previews.service.js';

/** Few, because each of them holds its sources. */
const limits = {
  ...{ what: 'previews of templates', running: 2, perProject: 1 },
  ...{ waitingPerProject: 8, waiting: 32 },
};

@Injectable()
export class LimitedPreviews {
  private readonly runs = new LimitedRuns(limits);

  constructor(
    private readonly previews: PreviewsService,
    private readonly clock: DatabaseClock,
  ) {}

  @Handles(templates.preview)
  preview({ caller, body, deadline }: Incoming<PreviewTemplateById>): Promise<RenderedTemplate> {
    return this.limited(caller, { preview: body }, deadline, () =>
      this.previews.preview(caller, body, deadline),
    );
  }

  @Handles(templates.lint)
  lint({ caller, body, deadline }: Incoming<LintTemplate>): Promise<LintReport> {
    return this.limited(caller, { lint: body }, deadline, () => this.previews.lint(caller, body, deadline));
  }

  private async limited<T>(
    { projectId }: Caller,
    request: object,
    deadline: Date | null,
    work: () => Promise<T>,
  ): Promise<T> {
    const remainingMs = await this.clock.msUntil(deadline);
    return this.runs.run(projectId, JSON.stringify(request), remainingMs, work);
  }
}
