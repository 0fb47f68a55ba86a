import type { StoredMessage } from './stored-message.js';

type Named = Pick<StoredMessage, 'projectId' | 'contentId' | 'templateId' | 'templateVersion'>;

/** After so many messages of one template version took too long, the others fail without an attempt. */
const maxTimeouts = 3;
const rememberedMs = 10 * 60_000;
const maxRemembered = 1_000;

/** Templates that ran out of time, by version, so that a campaign does not pay the time limit for each recipient. */
export class SlowContents {
  private readonly timeouts = new Map<string, { count: number; until: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  add(message: Named): void {
    const key = keyOf(message);
    const known = this.timeouts.get(key);
    const count = known && this.now() < known.until ? known.count + 1 : 1;
    this.timeouts.delete(key);
    this.timeouts.set(key, { count, until: this.now() + rememberedMs });
    if (this.timeouts.size > maxRemembered) this.timeouts.delete(this.timeouts.keys().next().value!);
  }

  /** One that was rendered in time shows that the data of the others was to blame. */
  clear(message: Named): void {
    this.timeouts.delete(keyOf(message));
  }

  isKnown(message: Named): boolean {
    const known = this.timeouts.get(keyOf(message));
    return known !== undefined && known.count >= maxTimeouts && this.now() < known.until;
  }
}

const keyOf = ({ projectId, contentId, templateId, templateVersion }: Named): string =>
  templateId ? `${projectId} ${templateId} ${templateVersion}` : `${projectId} ${contentId}`;
