import { lintSource, preview, type LintSource, type PreviewSource } from './preview.js';
import { checkSource } from './template-check.js';
import { answerJobs } from './workers/worker-jobs.js';

export type RenderingJob = { check: string } | { preview: PreviewSource } | { lint: LintSource };

answerJobs((job: RenderingJob) => {
  if ('check' in job) return checkSource(job.check);
  return 'preview' in job ? preview(job.preview) : lintSource(job.lint);
});
