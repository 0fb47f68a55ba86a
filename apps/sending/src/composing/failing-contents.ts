import type { StoredMessage } from './stored-message.js';

type ContentIdentity = Pick<StoredMessage, 'projectId' | 'contentId' | 'templateId' | 'templateVersion'>;

/** After so many messages of one template version ended their threads, the others fail without an attempt. */
const maxFailures = 3;
const rememberedMs = 10 * 60_000;
const maxRemembered = 1_000;

/** Templates whose messages ended their threads (time limit, memory, crash), by template version or content, so that a campaign does not pay for it with each recipient. */
export class FailingContents {
  private readonly failures = new Map<string, { count: number; until: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(message: ContentIdentity): void {
    const key = keyOf(message);
    const known = this.failures.get(key);
    const count = known && this.now() < known.until ? known.count + 1 : 1;
    this.failures.delete(key);
    this.failures.set(key, { count, until: this.now() + rememberedMs });
    if (this.failures.size > maxRemembered) this.failures.delete(this.failures.keys().next().value!);
  }

  /** One that was composed shows that the data of the others was to blame. */
  clear(message: ContentIdentity): void {
    this.failures.delete(keyOf(message));
  }

  isKnown(message: ContentIdentity): boolean {
    const known = this.failures.get(keyOf(message));
    return known !== undefined && known.count >= maxFailures && this.now() < known.until;
  }
}

const keyOf = ({ projectId, contentId, templateId, templateVersion }: ContentIdentity): string =>
  templateId ? `${projectId} ${templateId} ${templateVersion}` : `${projectId} ${contentId}`;
