import { Injectable } from '@nestjs/common';
import {
  contacts,
  personData,
  personParts,
  type Caller,
  type PersonEmailPart,
  type PersonMail,
  type PersonPart,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { StreamedList, StreamedResource } from '../routes/streamed.js';

interface Person {
  caller: Caller;
  id: string;
  email: string;
}

/** Collected page by page from the services that store it, so that a large history is never held in memory. */
@Injectable()
export class PeopleData {
  constructor(private readonly bus: Bus) {}

  /** The contact and its mail are loaded before the response starts, so that their failure still gets an error response. */
  async of(caller: Caller, id: string): Promise<StreamedResource> {
    const contact = await this.bus.call(contacts.get, caller, { id });
    const { email } = contact;
    const person = { caller, id, email };
    const first = await this.bus.call(personData.mail, caller, { email });
    const { suppression, optOut } = first;
    const parts = personParts.map((part) => [part, new StreamedList(this.rowsOf(person, part))] as const);
    return new StreamedResource({
      contact,
      suppression,
      optOut,
      emails: new StreamedList(this.emailsFrom(first, person)),
      ...Object.fromEntries(parts),
    });
  }

  private async *rowsOf({ caller, id }: Person, part: PersonPart): AsyncGenerator<readonly object[]> {
    let page = await this.bus.call(personData.part, caller, { id, part });
    yield page[part] ?? [];
    while (page.next) {
      page = await this.bus.call(personData.part, caller, { id, part, after: page.next });
      yield page[part] ?? [];
    }
  }

  private async *emailsFrom(first: PersonMail, person: Person): AsyncGenerator<readonly object[]> {
    const whole = (email: PersonEmailPart) => ({
      ...email,
      history: new StreamedList(this.timesOf(email, person)),
    });
    let page = first;
    yield page.emails.map(whole);
    while (page.next) {
      page = await this.bus.call(personData.mail, person.caller, { email: person.email, after: page.next });
      yield page.emails.map(whole);
    }
  }

  private async *timesOf(of: PersonEmailPart, { caller, email }: Person): AsyncGenerator<readonly object[]> {
    yield of.history;
    for (let after = of.historyNext; after !== null;) {
      const { items, next } = await this.bus.call(personData.moments, caller, {
        email,
        emailId: of.id,
        after,
      });
      yield items;
      after = next;
    }
  }
}
