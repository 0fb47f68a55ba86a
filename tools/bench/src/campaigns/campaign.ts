import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import type { Product } from '../product.js';
import type { Audience } from './audiences.js';
import type { Ledgers, Progress } from './ledgers.js';

export interface CampaignBench extends Bench {
  product: Product;
  ledgers: Ledgers;
}

const restMs = 3_000;

/** One campaign to a whole audience. */
export class Campaign {
  private constructor(
    private readonly ledgers: Ledgers,
    readonly audience: Audience,
    readonly id: string,
  ) {}

  static async create(ledgers: Ledgers, audience: Audience): Promise<Campaign> {
    const { id } = await audience.api.post<{ id: string }>('/api/v1/campaigns', {
      name: 'Bench',
      template_id: audience.template,
      audience_type: 'ALL',
    });
    return new Campaign(ledgers, audience, id);
  }

  /** With a ledger that is complete, and paused before it was. */
  static async frozen(ledgers: Ledgers, audience: Audience): Promise<Campaign> {
    const campaign = await Campaign.create(ledgers, audience);
    await campaign.request('send');
    await campaign.request('pause');
    await campaign.untilFrozen();
    return campaign;
  }

  async request(transition: 'send' | 'pause' | 'resume' | 'cancel'): Promise<void> {
    const { api } = this.audience;
    const path = `/api/v1/campaigns/${this.id}/${transition}`;
    await api.request({ method: 'POST', path, headers: api.headers });
  }

  progress(): Promise<Progress> {
    return this.ledgers.progress(this.audience.api.projectId, this.id);
  }

  until(isReached: (progress: Progress) => boolean): Promise<Progress> {
    return this.ledgers.until(this.audience.api.projectId, this.id, isReached);
  }

  async untilFrozen(): Promise<void> {
    const { total } = await this.until(({ isFrozen }) => isFrozen);
    const { contacts } = this.audience;
    if (total !== contacts) throw new Error(`the ledger has ${total} rows for ${contacts} contacts`);
  }

  /** Everybody has his mail, and it was delivered. */
  async untilSent(): Promise<void> {
    const { contacts } = this.audience;
    const { sent } = await this.until(
      ({ status, delivered, failed }) => status === 'SENT' && delivered + failed >= contacts,
    );
    if (sent !== contacts) throw new Error(`the campaign sent ${sent} of ${contacts} messages`);
  }

  /** Waits until what was in flight has arrived, and its events. */
  async pause(): Promise<void> {
    await this.request('pause');
    await delay(restMs);
  }
}
