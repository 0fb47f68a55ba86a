import { readMailReport, type ReportEnvelope } from '@posthorn/mail';
import { answerJobs } from '../rendering/workers/worker-jobs.js';

export interface ReportJob extends ReportEnvelope {
  raw: Uint8Array;
}

answerJobs(({ raw, ...envelope }: ReportJob) => readMailReport(raw, envelope));
