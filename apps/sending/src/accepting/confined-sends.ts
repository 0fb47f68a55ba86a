import { Injectable } from '@nestjs/common';
import {
  bringsContent,
  contacts,
  maxAddressesChecked,
  outsideTemplates,
  ownContentRefused,
  recipientNotContact,
  serviceCaller,
  type Caller,
} from '@posthorn/contracts';
import { Bus, Gatherer } from '@posthorn/messaging';

const time = { timeoutShare: 0.35 };

interface Lookup {
  projectId: string;
  emails: readonly string[];
}

/** The addresses that a caller may write to; null is anybody. */
export type AllowedRecipients = ReadonlySet<string> | null;

/** Which contacts a key that is confined to contacts reaches: one call for each project that waits (docs/decisions/0023). */
@Injectable()
export class ConfinedSends {
  private readonly lookups = new Gatherer<Lookup, ReadonlySet<string>>({
    flush: (lookups) => this.findAll(lookups),
    maxItems: 64,
  });

  constructor(private readonly bus: Bus) {}

  async allowedRecipients(
    { projectId, confine }: Caller,
    emails: readonly string[],
  ): Promise<AllowedRecipients> {
    return confine?.onlyContacts ? this.lookups.submit({ projectId, emails }) : null;
  }

  private async findAll(lookups: Lookup[]): Promise<(ReadonlySet<string> | Error)[]> {
    const byProject = Map.groupBy(lookups, ({ projectId }) => projectId);
    const found = await Promise.all(
      [...byProject].map(async ([projectId, some]) => {
        const emails = [...new Set(some.flatMap((lookup) => lookup.emails))];
        return [projectId, await this.find(projectId, emails).catch((error: Error) => error)] as const;
      }),
    );
    const answers = new Map(found);
    return lookups.map(({ projectId }) => answers.get(projectId)!);
  }

  private async find(projectId: string, emails: string[]): Promise<ReadonlySet<string>> {
    const caller = serviceCaller('sending', projectId);
    const parts = Array.from({ length: Math.ceil(emails.length / maxAddressesChecked) }, (_, index) =>
      emails.slice(index * maxAddressesChecked, (index + 1) * maxAddressesChecked),
    );
    const found = await Promise.all(
      parts.map((part) => this.bus.call(contacts.subscribed, caller, { emails: part }, time)),
    );
    return new Set(found.flatMap((each) => each.emails));
  }
}

export function refuseOtherRecipients(allowed: AllowedRecipients, emails: readonly string[]): void {
  if (allowed && emails.some((email) => !allowed.has(email))) throw recipientNotContact();
}

/** Content that replaces the template's would make the choice of templates meaningless. */
export function refuseOutsideTemplates(
  { confine }: Caller,
  { template, ownContent }: { template?: string; ownContent: boolean },
): void {
  if (!confine?.templateIds) return;
  if (!template || !confine.templateIds.includes(template.toLowerCase())) throw outsideTemplates();
  if (ownContent) throw ownContentRefused();
}

export const templateUseOf = (send: Parameters<typeof bringsContent>[0]) => ({
  template: send.template,
  ownContent: bringsContent(send),
});
