import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  SenderIdentities,
  unsignedIdentity,
  type SenderIdentity,
} from '../domains/senders/sender-identities.js';
import { SendingConfig } from '../config.js';
import { AttachmentsRepository } from '../emails/attachments.repository.js';
import { JobAbandoned, WorkerPool } from '../rendering/workers/worker-pool.js';
import { TemplateTexts, type LoadedTexts } from '../templates/template-texts.js';
import type { StoredMessage } from './stored-message.js';
import { type ComposeResult, type ComposeJob, compose } from './compose.js';
import { ComposeJobs } from './compose-jobs.js';
import { ContactVariables } from './contact-variables.js';
import { RecipientContactIds } from './recipient-contacts.js';
import { FailingContents } from './failing-contents.js';
import type { MessageTexts } from '../rendering/liquid/liquid.js';
import { FairJobs } from '../rendering/workers/fair-jobs.js';
import { workerModule } from '../rendering/workers/worker-jobs.js';

export type NotComposed =
  | { retryable: true }
  | {
      retryable: false;
      failureKind: 'rendering' | 'domain_unverified';
      error: string;
      /** A limit or a crash ended the thread while it composed this message, twice in a row. */
      endedItsThread?: boolean;
    };

export interface ComposedMessage extends ComposeResult {
  returnPathDomain: string | null;
}

export type ComposeOutcome = ComposedMessage | NotComposed;

export const isComposed = (composition: ComposeOutcome): composition is ComposedMessage =>
  'raw' in composition;

@Injectable()
export class Composer implements OnApplicationShutdown {
  private readonly log = new Logger('Composer');
  private readonly jobs: ComposeJobs;
  private readonly threads = new ComposeThreads();
  private readonly failing = new FailingContents();
  private lastWithFiles: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly contactIds: RecipientContactIds,
    private readonly variables: ContactVariables,
    private readonly templateTexts: TemplateTexts,
    private readonly identities: SenderIdentities,
    private readonly attachments: AttachmentsRepository,
    config: SendingConfig,
  ) {
    this.jobs = new ComposeJobs(config);
  }

  /** The shutdown of the delivery waits for messages that are being composed, so this comes last. */
  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  /** Calls `done` for each message as soon as it is composed, because others of the batch may take long. */
  async compose<M extends StoredMessage>(
    messages: readonly M[],
    done: (message: M, composition: ComposeOutcome) => void,
  ): Promise<void> {
    const waiting = await this.contactIds.fill(messages);
    const variables = await this.variables.of(messages.filter(needsVariables));
    const templateTexts = await this.templateTexts.load(templatesOf(messages), snippetsOf(messages));
    const composeOne = async (message: M) => {
      if (waiting.has(message)) return done(message, { retryable: true });
      const composing = this.composeToSend(message, variables.get(message.emailId), templateTexts);
      done(message, await composing.catch((error) => this.failureOf(error)));
    };
    await Promise.all(messages.map(composeOne));
  }

  /** Shows an e-mail to a user: stores nothing, and works when the domain is no longer verified. */
  async composeToShow(message: StoredMessage): Promise<ComposeOutcome> {
    const variables = needsVariables(message) ? await this.variables.forPreview(message) : {};
    if (!variables) return { retryable: true };
    const templateTexts = await this.templateTexts.load(templatesOf([message]), snippetsOf([message]));
    const host = hostOf(message.from.email);
    const identity = (await this.identities.of(message.projectId, host)) ?? unsignedIdentity(host);
    return this.composeAs(message, identity, variables, templateTexts).catch((error) =>
      this.failureOf(error),
    );
  }

  private async composeToSend(
    message: StoredMessage,
    variables: Record<string, unknown> | undefined,
    templateTexts: LoadedTexts,
  ): Promise<ComposeOutcome> {
    if (message.contentIsMissing) return notRendered('The content of the message is no longer retained');
    if (needsVariables(message) && !variables) return { retryable: true };
    const identity = await this.identities.of(message.projectId, hostOf(message.from.email));
    if (!identity?.verified)
      return {
        retryable: false,
        failureKind: 'domain_unverified',
        error: 'The domain of the sender is no longer verified',
      };
    if (this.failing.isKnown(message)) return notRendered(templateKeepsFailing);
    const composition = await this.composeAs(message, identity, variables, templateTexts);
    if (isComposed(composition)) this.failing.clear(message);
    else if (!composition.retryable && composition.endedItsThread) this.failing.add(message);
    return composition;
  }

  private async composeAs(
    message: StoredMessage,
    identity: SenderIdentity,
    variables: Record<string, unknown> | undefined,
    templateTexts: LoadedTexts,
  ): Promise<ComposeOutcome> {
    const jobWith = (files: Buffer[]) =>
      this.jobs.of(message, { variables: variables ?? {}, templateTexts, identity, files });
    const composed = await (message.attachments
      ? this.composeWithFiles(message, jobWith)
      : this.composeJob(() => jobWith([])));
    if (composed instanceof JobAbandoned && !composed.endedItsThread) return { retryable: true };
    if (composed instanceof Error)
      return { ...notRendered(composed.message), endedItsThread: composed instanceof JobAbandoned };
    return { ...composed, returnPathDomain: identity.returnPathDomain };
  }

  /** One after another, so that the attachments of one message at a time are in memory. */
  private composeWithFiles(
    { projectId, contentId, attachments }: StoredMessage,
    jobWith: (files: Buffer[]) => ComposeJob | Error,
  ): Promise<ComposeResult | Error> {
    const sizes = attachments!.map(({ size }) => size);
    const mine = this.lastWithFiles.then(() =>
      this.composeJob(async () => jobWith(await this.attachments.filesOf(projectId, contentId, sizes))),
    );
    this.lastWithFiles = mine.catch(() => undefined);
    return mine;
  }

  /** Where the whole process stalled, every job exceeds its time limit; a second try tells a slow job from a slow process. */
  private async composeJob(
    jobOf: () => ComposeJob | Error | Promise<ComposeJob | Error>,
  ): Promise<ComposeResult | Error> {
    const composed = await this.composeOnce(await jobOf());
    return composed instanceof JobAbandoned ? this.composeOnce(await jobOf()) : composed;
  }

  private async composeOnce(job: ComposeJob | Error): Promise<ComposeResult | Error> {
    return job instanceof Error ? job : this.threads.compose(job);
  }

  private failureOf(error: unknown): NotComposed {
    this.log.warn(`a message waits to be composed: ${(error as Error).message}`);
    return { retryable: true };
  }
}

const templateKeepsFailing =
  'Several messages of this template took longer than the time limit for rendering; for ten minutes no others are attempted';

/** Marketing mail may end with the name and the address of the project. */
const needsVariables = ({ liquid, category }: StoredMessage): boolean => liquid || category === 'MARKETING';

const notRendered = (error: string) => ({ retryable: false, failureKind: 'rendering', error }) as const;

const templatesOf = (messages: readonly StoredMessage[]) =>
  messages.flatMap(({ projectId, templateId, templateVersion }) =>
    templateId && templateVersion !== null ? [{ projectId, templateId, version: templateVersion }] : [],
  );

const snippetsOf = (messages: readonly StoredMessage[]) =>
  messages.flatMap(({ projectId, snippetVersions }) =>
    Object.values(snippetVersions ?? {}).map((id) => ({ projectId, id })),
  );

const hostOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

const threads = 2;
/** The start of a service has other things to do, and whoever sends the first campaign after it waits. */
const warmUpMs = 10_000;
/** Composing a larger message would block the event loop too long. */
const maxSmallLength = 128 * 1024;
const largeMs = 30_000;
/** Signing holds several copies of a message with 10 MiB of attachments. */
const largeHeapMb = 256;

/** Liquid and DKIM in worker threads, which projects share; attachments and large texts in one with more memory; the rest here, because a thread would cost more. */
class ComposeThreads {
  private readonly commonPool: WorkerPool<ComposeJob, ComposeResult>;
  private readonly largePool: WorkerPool<ComposeJob, ComposeResult>;
  private readonly commonQueue: FairJobs<ComposeJob, ComposeResult>;
  private readonly warmUp: NodeJS.Timeout;

  constructor() {
    const module = workerModule(import.meta.url, './compose.worker.js');
    this.commonPool = new WorkerPool({ module, threads });
    this.commonQueue = new FairJobs({ pool: this.commonPool, threads });
    this.warmUp = setTimeout(() => this.commonPool.warmUp(), warmUpMs).unref();
    const transferOf = ({ files }: ComposeJob) => files.map(({ data }) => data.buffer as ArrayBuffer);
    this.largePool = new WorkerPool({
      module,
      threads: 1,
      jobMs: largeMs,
      limits: { heapMb: largeHeapMb },
      transferOf,
    });
  }

  /** Transfers the attachments of the job to the thread: the caller can no longer read them. */
  async compose(job: ComposeJob): Promise<ComposeResult | Error> {
    if (job.files.length > 0 || sizeOf(job.texts) > maxSmallLength) return this.composeLarge(job);
    return job.liquid || job.keys.length > 0 ? this.queue(job) : composeHere(job);
  }

  async close(): Promise<void> {
    clearTimeout(this.warmUp);
    await Promise.all([this.commonPool.close(), this.largePool.close()]);
  }

  /** The limits for templates hold for the rendering alone, so it runs in the common pool first. */
  private async composeLarge(job: ComposeJob): Promise<ComposeResult | Error> {
    if (!job.liquid) return this.runLarge(job);
    const rendered = await this.queue({ ...job, files: [], keys: [], trackOpens: false, trackClicks: false });
    return rendered instanceof Error
      ? rendered
      : this.runLarge({ ...job, texts: rendered.texts, liquid: null });
  }

  private async runLarge(job: ComposeJob): Promise<ComposeResult | Error> {
    const [composed] = await this.largePool.run([job]);
    return composed!;
  }

  private queue(job: ComposeJob): Promise<ComposeResult | Error> {
    return this.commonQueue.run(job.projectId, job);
  }
}

const sizeOf = ({ html, text }: MessageTexts): number => html.length + (text?.length ?? 0);

function composeHere(job: ComposeJob): ComposeResult | Error {
  try {
    return compose(job);
  } catch (error) {
    return error as Error;
  }
}
