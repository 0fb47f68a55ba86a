import type { Engagement } from '@posthorn/contracts';

type Location = Pick<Engagement, 'projectId' | 'emailId' | 'position'>;

/** A person and their mail client never need more; whoever replays a link a thousand times is no reader. */
const perWindow = 100;
const windowMs = 10_000;
const maxMessages = 100_000;

/** What one message or one project may add: a project never holds more than is still free, so that others always find room. */
export class EngagementLimits {
  private readonly counts = new Map<string, number>();
  private readonly bytesOf = new Map<string, number>();
  private total = 0;
  private windowEnds = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  admit(location: Location, bytes: number): boolean {
    const { projectId } = location;
    const own = (this.bytesOf.get(projectId) ?? 0) + bytes;
    if (own > this.maxBytes - this.total - bytes || !this.isFewOf(location)) return false;
    this.bytesOf.set(projectId, own);
    this.total += bytes;
    return true;
  }

  release({ projectId }: Location, bytes: number): void {
    this.total -= bytes;
    const left = (this.bytesOf.get(projectId) ?? 0) - bytes;
    if (left > 0) this.bytesOf.set(projectId, left);
    else this.bytesOf.delete(projectId);
  }

  private isFewOf({ emailId, position }: Location): boolean {
    const now = this.now();
    if (now >= this.windowEnds || this.counts.size >= maxMessages) {
      this.counts.clear();
      this.windowEnds = now + windowMs;
    }
    const key = `${emailId} ${position}`;
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return count <= perWindow;
  }
}
