import {
  readDmarcMail,
  readMailReport,
  type DmarcReport,
  type MailReport,
  type ReportEnvelope,
} from '@posthorn/mail';
import { answerJobs } from '../rendering/workers/worker-jobs.js';

export type ReportJob =
  ({ kind: 'MAIL'; raw: Uint8Array } & ReportEnvelope) | { kind: 'DMARC'; raw: Uint8Array };

answerJobs((job: ReportJob): Promise<MailReport | DmarcReport | null> =>
  job.kind === 'DMARC' ? readDmarcMail(job.raw) : readMailReport(job.raw, job),
);
