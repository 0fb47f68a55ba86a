import { Injectable } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';

/** Of one project, in one process: each stream polls the service that owns its resource. */
export const maxOpenStreams = 20;
const retryAfterSeconds = 5;

const tooManyStreams = () =>
  new DomainError(
    'rate_limited',
    'rate_limited',
    `At most ${maxOpenStreams} event streams of a project may be open at once; close some, or repeat the request in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );

@Injectable()
export class OpenStreams {
  private readonly counts = new Map<string, number>();

  open(projectId: string): () => void {
    const count = (this.counts.get(projectId) ?? 0) + 1;
    if (count > maxOpenStreams) throw tooManyStreams();
    this.counts.set(projectId, count);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = this.counts.get(projectId)! - 1;
      if (left === 0) this.counts.delete(projectId);
      else this.counts.set(projectId, left);
    };
  }
}
