import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Loop, Outbox } from '@posthorn/messaging';
import { ScheduledSegments } from './scheduled-segments.js';
import { SegmentUpkeep } from './segment-upkeep.js';

const everyMs = 1_000;

/** Looks at whoever is to be looked at, and at segments whose turn it is by schedule. */
@Injectable()
export class UpkeepLoops implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Segments');
  private readonly live = this.loop(() => this.upkeep.round());
  private readonly scheduled = this.loop(() => this.schedule.next());

  constructor(
    private readonly upkeep: SegmentUpkeep,
    private readonly schedule: ScheduledSegments,
    private readonly outbox: Outbox,
  ) {}

  onApplicationBootstrap(): void {
    this.live.start();
    this.scheduled.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.live.stop(), this.scheduled.stop()]);
  }

  /** `round` answers whether there is more. */
  private loop(round: () => Promise<boolean>): Loop {
    const work = async () => {
      const more = await round();
      this.outbox.ringIfTold();
      if (more) loop.ring();
    };
    const loop: Loop = new Loop({ everyMs, work, onError: (error) => this.log.warn((error as Error).message) });
    return loop;
  }
}
