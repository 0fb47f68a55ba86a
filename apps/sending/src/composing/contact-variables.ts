import { Injectable, Logger } from '@nestjs/common';
import { contacts, serviceCaller } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { StoredMessage } from './stored-message.js';
import { ContactVariablesRepository } from './contact-variables.repository.js';

type Variables = Record<string, unknown>;
type ContactFields = Map<string, { id: string; customFields: Variables }>;

const timeoutMs = 1_500;

/** Fields are read at the first claim and stored with the message, so that every attempt renders the same (docs/guarantees.md §3). */
@Injectable()
export class ContactVariables {
  private readonly log = new Logger('ContactVariables');

  constructor(
    private readonly bus: Bus,
    private readonly rows: ContactVariablesRepository,
  ) {}

  /** By e-mail id. Messages whose contacts could not be fetched are missing; they wait and are never rendered with empty fields. */
  async of(messages: readonly StoredMessage[]): Promise<Map<string, Variables>> {
    const known = new Map(
      messages.flatMap(({ emailId, variables }) => (variables ? [[emailId, variables]] : [])) as [
        string,
        Variables,
      ][],
    );
    const unknown = messages.filter(({ emailId, variables }) => variables === null && !known.has(emailId));
    const requested = [...Map.groupBy(unknown, (message) => message.projectId)].map(([projectId, some]) =>
      this.store(projectId, some),
    );
    for (const stored of await Promise.all(requested))
      for (const [id, variables] of stored) known.set(id, variables);
    return known;
  }

  /** For a preview: the stored fields, or those of today, which are not stored. */
  async forPreview(message: StoredMessage): Promise<Variables | null> {
    if (message.variables) return message.variables;
    const { projectId, to, liquid } = message;
    const fields: ContactFields | null = liquid ? await this.request(projectId, [to.email]) : new Map();
    return fields && this.rows.withProject(projectId, variablesOf(to.email, fields.get(to.email)));
  }

  private async store(
    projectId: string,
    messages: readonly StoredMessage[],
  ): Promise<Map<string, Variables>> {
    // A claim has fewer recipients than one call may ask for. Without Liquid only what is known of the project is needed.
    const asked = messages.filter(({ liquid }) => liquid).map(({ to }) => to.email);
    const fields: ContactFields | null =
      asked.length === 0 ? new Map() : await this.request(projectId, [...new Set(asked)]);
    if (!fields) return this.storeWithout(projectId, messages);
    const rows = messages.map(({ emailId, to }) => ({
      emailId,
      variables: variablesOf(to.email, fields.get(to.email)),
    }));
    return this.rows.keep(projectId, rows);
  }

  /** What has no Liquid does not wait for the fields. */
  private storeWithout(
    projectId: string,
    messages: readonly StoredMessage[],
  ): Promise<Map<string, Variables>> {
    const plain = messages.filter(({ liquid }) => !liquid);
    return plain.length === 0 ? Promise.resolve(new Map()) : this.store(projectId, plain);
  }

  private async request(projectId: string, emails: string[]): Promise<ContactFields | null> {
    try {
      const { contacts: found } = await this.bus.call(
        contacts.variables,
        serviceCaller('sending', projectId),
        { emails },
        { timeoutMs },
      );
      return new Map(found.map(({ email, id, customFields }) => [email, { id, customFields }]));
    } catch (error) {
      this.log.warn(
        `${emails.length} messages wait for the fields of their contacts: ${(error as Error).message}`,
      );
      return null;
    }
  }
}

/** Custom fields are available at the top level and under `contact.data` (docs/api-decisions.md §4). */
function variablesOf(email: string, contact: { id: string; customFields: Variables } | undefined): Variables {
  const fields = contact?.customFields ?? {};
  return { ...fields, contact: { email, ...(contact ? { id: contact.id } : {}), data: fields } };
}
