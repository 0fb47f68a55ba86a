import { usedPaths, type UsesSource } from './analysis.js';
import { render, renderTexts, type TextsSource } from './liquid/liquid.js';
import { lintSource, preview, type LintSource, type PreviewSource } from './preview.js';
import { checkSource } from './template-check.js';
import { answerJobs } from './workers/worker-jobs.js';

export type RenderingJob =
  | { check: string }
  | { preview: PreviewSource }
  | { tryOut: PreviewSource }
  | { lint: LintSource }
  | { texts: TextsSource }
  | { uses: UsesSource };

answerJobs((job: RenderingJob) => {
  if ('check' in job) return checkSource(job.check);
  if ('texts' in job) return renderTexts(job.texts);
  if ('uses' in job) return usedPaths(job.uses);
  if ('tryOut' in job) return render({ ...job.tryOut, text: null }, job.tryOut).subject;
  return 'preview' in job ? preview(job.preview) : lintSource(job.lint);
});
