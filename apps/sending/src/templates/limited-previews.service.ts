import { Injectable } from '@nestjs/common';
import type {
  Caller,
  LintReport,
  LintTemplate,
  PreviewTemplateById,
  RenderedTemplate,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
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

  preview(caller: Caller, body: PreviewTemplateById, deadline: Date | null): Promise<RenderedTemplate> {
    return this.limited(caller, { preview: body }, deadline, () =>
      this.previews.preview(caller, body, deadline),
    );
  }

  lint(caller: Caller, body: LintTemplate, deadline: Date | null): Promise<LintReport> {
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
