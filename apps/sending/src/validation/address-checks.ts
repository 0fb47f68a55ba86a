import { Injectable } from '@nestjs/common';
import { domainOf, normaliseAddress, type ValidatedEmail } from '@posthorn/contracts';
import { SuppressedRecipientsReadModel } from '../suppressions/suppressed-recipients.read-model.js';
import { judge, malformed } from './judge-address.js';
import { MailHosts } from './mail-hosts.js';

@Injectable()
export class AddressChecks {
  constructor(
    private readonly hosts: MailHosts,
    private readonly suppressed: SuppressedRecipientsReadModel,
  ) {}

  /** One result for each text, in their order; what the DNS does not answer within the time is unknown. */
  async check(projectId: string, texts: readonly string[], limitMs: number): Promise<ValidatedEmail[]> {
    const addresses = texts.map(normaliseAddress);
    const readable = [...new Set(addresses.filter((address) => address !== null))];
    const [hosts, suppressed] = await Promise.all([
      this.hosts.of(projectId, readable.map(domainOf), limitMs),
      this.suppressed.of(projectId, readable),
    ]);
    return texts.map((text, index) => {
      const address = addresses[index]!;
      return address === null
        ? malformed(text)
        : judge(address, hosts.get(domainOf(address))!, suppressed.has(address));
    });
  }
}
