import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { SenderIdentities } from '../domains/sender-identities.js';
import { SendingConfig } from '../config.js';
import { AttachmentsRepository } from '../emails/attachments.repository.js';
import { JobGivenUp } from '../rendering/worker-pool.js';
import { Sources, type LoadedSources } from '../templates/sources.js';
import type { Composable } from './composable.js';
import type { Composed, ComposeJob } from './compose.js';
import { ComposeJobs } from './compose-jobs.js';
import { ComposeThreads } from './compose-threads.js';
import { ContactVariables } from './contact-variables.js';

/** Why a message cannot be composed: for now, or for good. */
export type NotComposed = { waits: true } | { waits: false; failureKind: 'rendering' | 'domain_unverified'; error: string };

export interface ComposedMessage extends Composed {
  returnPathDomain: string | null;
}

export type Composition = ComposedMessage | NotComposed;

export const isComposed = (composition: Composition): composition is ComposedMessage => 'raw' in composition;

/** Messages from what was fixed at their acceptance: fields of contacts, words, senders and files are fetched by the handful. */
@Injectable()
export class Composer implements OnApplicationShutdown {
  private readonly log = new Logger('Composer');
  private readonly jobs: ComposeJobs;
  private readonly threads = new ComposeThreads();

  constructor(
    private readonly variables: ContactVariables,
    private readonly sources: Sources,
    private readonly identities: SenderIdentities,
    private readonly attachments: AttachmentsRepository,
    config: SendingConfig,
  ) {
    this.jobs = new ComposeJobs(config);
  }

  /** Last of all: the delivery waits for what is being composed before. */
  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  /** In the order of the messages. */
  async compose(messages: readonly Composable[]): Promise<Composition[]> {
    const variables = await this.variables.of(messages.filter(({ liquid }) => liquid));
    const sources = await this.sources.load(templatesOf(messages), snippetsOf(messages));
    return Promise.all(
      messages.map((message) => this.composeOne(message, variables.get(message.emailId), sources).catch((error) => this.putOff(error))),
    );
  }

  private async composeOne(
    message: Composable,
    variables: Record<string, unknown> | undefined,
    sources: LoadedSources,
  ): Promise<Composition> {
    if (message.contentIsGone) return notRendered('The content of the message is no longer retained');
    if (message.liquid && !variables) return { waits: true };
    const identity = await this.identities.of(message.projectId, hostOf(message.from.email));
    if (!identity?.verified)
      return { waits: false, failureKind: 'domain_unverified', error: 'The domain of the sender is not verified any more' };
    const files = message.attachments ? await this.attachments.filesOf(message.projectId, message.contentId) : [];
    const job = this.jobs.of(message, { variables: variables ?? {}, sources, identity, files });
    if (job instanceof Error) return notRendered(job.message);
    const composed = await this.composeJob(job);
    if (composed instanceof JobGivenUp && !(composed.isCulprit && message.liquid)) return { waits: true };
    if (composed instanceof Error) return notRendered(composed.message);
    return { ...composed, returnPathDomain: identity.returnPathDomain };
  }

  /** A process that stood still makes every job look long: a second look tells. */
  private async composeJob(job: ComposeJob): Promise<Composed | Error> {
    const composed = await this.threads.compose(job);
    return composed instanceof JobGivenUp ? this.threads.compose(job) : composed;
  }

  /** What is out of order for one message holds back that one only. */
  private putOff(error: unknown): NotComposed {
    this.log.warn(`a message waits to be composed: ${(error as Error).message}`);
    return { waits: true };
  }
}

const notRendered = (error: string): NotComposed => ({ waits: false, failureKind: 'rendering', error });

const templatesOf = (messages: readonly Composable[]) =>
  messages.flatMap(({ projectId, templateId, templateVersion }) =>
    templateId && templateVersion !== null ? [{ projectId, templateId, version: templateVersion }] : [],
  );

const snippetsOf = (messages: readonly Composable[]) =>
  messages.flatMap(({ projectId, snippets }) => Object.values(snippets ?? {}).map((id) => ({ projectId, id })));

const hostOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);
