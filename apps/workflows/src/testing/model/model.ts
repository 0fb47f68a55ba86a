import { withUpdate, type Called, type Ending } from './ending.js';
import {
  filled,
  ofVisit,
  type CausedEvent,
  type ModelPerson,
  type ModelStep,
  type Scenario,
} from './scenario.js';
import { meets, takes } from './model-conditions.js';

type Config = Record<string, unknown>;

/** After so many waits it stays where it is. */
export const maxWaits = 6;

/** What an execution has to do, by following the graph from step to step. It knows nothing of the engine. */
export class Model {
  private readonly visits: Record<string, number> = {};
  private readonly outputs: Record<string, unknown> = {};
  private readonly outcome: Ending;
  private waits = 0;
  /** By the mail that was sent just now: it is not before the wait that begins now. */
  private caused: CausedEvent | null = null;

  constructor(
    private readonly scenario: Scenario,
    private readonly person: ModelPerson,
  ) {
    const { fields, subscribed } = person;
    this.outcome = {
      status: 'RUNNING',
      reason: null,
      path: [],
      mails: [],
      calls: [],
      updates: [],
      fields: { ...fields },
      subscribed,
    };
  }

  run(): Ending {
    this.enter('trigger');
    return this.outcome;
  }

  private enter(name: string | null): void {
    if (name === null) return this.end('COMPLETED', null);
    const step = this.scenario.steps.find((each) => each.name === name)!;
    const visit = (this.visits[name] = (this.visits[name] ?? 0) + 1);
    const { path } = this.outcome;
    path.push({ step: name, visit, status: 'WAITING', branch: null, output: null });
    if (this.scenario.goal && meets(this.scenario.goal, this.variables)) {
      path.at(-1)!.status = 'SKIPPED';
      return this.end('EXITED', 'The exit condition holds');
    }
    this.act(step, visit);
  }

  private act({ name, type, config }: ModelStep, visit: number): void {
    switch (type) {
      case 'TRIGGER':
        return this.leave(null);
      case 'CONDITION':
        return this.leave(takes(config, this.variables));
      case 'EXIT':
        this.outcome.path.at(-1)!.status = 'DONE';
        return this.end('EXITED', (config['reason'] as string | undefined) ?? null);
      case 'DELAY':
        return this.mayPass() ? this.leave(null) : this.stay();
      case 'WAIT_FOR_EVENT':
        return this.wait(name, visit, String(config['eventName']));
      case 'SEND_EMAIL':
        return this.send(name, visit, config);
      case 'UPDATE_CONTACT':
        return this.update(config);
      case 'WEBHOOK':
        return this.call(name, visit, config);
    }
  }

  private wait(name: string, visit: number, awaited: string): void {
    const isMet = this.caused?.name === awaited;
    const data = isMet ? this.caused!.data : null;
    const mayPass = this.mayPass();
    if (isMet) return this.leave('event', { event: data });
    if (!mayPass) return this.stay();
    const first = ofVisit(this.person.arrivals[name]!, visit).find(
      (arrival) => arrival.name === awaited && arrival.instant !== 'before',
    );
    return first ? this.leave('event', { event: first.data }) : this.leave('timeout');
  }

  private send(name: string, visit: number, { subject, recipient }: Config): void {
    const custom = (recipient as { customEmail: string } | undefined)?.customEmail;
    const to = custom === undefined ? this.person.email : filled(custom, this.variables);
    if (!to.includes('@')) return this.fail(name, `"${to}" is not an address`);
    this.outcome.mails.push({ to, subject: filled(String(subject), this.variables) });
    this.caused = this.person.caused[name]![visit - 1] ?? null;
    this.leave(null, { to });
  }

  private update({ updates, subscribed }: Config): void {
    const { outcome } = this;
    const update = { updates: updates as Config, subscribed: (subscribed as boolean | undefined) ?? null };
    outcome.updates = withUpdate(outcome.updates, update);
    for (const [field, value] of Object.entries(update.updates))
      if (value === null) delete outcome.fields[field];
      else outcome.fields[field] = value;
    outcome.subscribed = update.subscribed ?? outcome.subscribed;
    this.caused = null;
    this.leave(null);
  }

  private call(name: string, visit: number, config: Config): void {
    this.outcome.calls.push(this.requested(config));
    this.caused = null;
    const { status, body } = ofVisit(this.person.hooks[name]!, visit);
    if (status >= 300) return this.fail(name, `HTTP ${status}`);
    this.leave(null, { status, body });
  }

  private requested({ method = 'POST', url, headers = {}, body }: Config): Called {
    const { contact, event, workflow } = this.variables;
    const { email, subscribed } = contact as Config;
    const sent =
      body === undefined
        ? { contact: { email, subscribed, data: this.outcome.fields }, workflow, event }
        : body;
    const isText = typeof sent === 'string';
    const given = Object.entries(headers as Config).map(([header, value]) => [
      header,
      filled(String(value), this.variables),
    ]);
    const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
    const text = filled(isText ? sent : JSON.stringify(sent), this.variables);
    return {
      method: String(method),
      url: filled(String(url), this.variables),
      headers: { ...(method === 'GET' ? {} : { 'content-type': type }), ...Object.fromEntries(given) },
      body: method === 'GET' ? null : isText ? text : JSON.parse(text),
    };
  }

  private leave(branch: string | null, output: Config | null = null): void {
    const visited = Object.assign(this.outcome.path.at(-1)!, { status: 'DONE', branch, output });
    if (output) this.outputs[visited.step] = output;
    const ways = this.scenario.ways.filter(
      ({ from, branch: of }) => from === visited.step && (of === null || of === branch),
    );
    const lowest = ways.filter(({ priority }) => priority === Math.min(...ways.map((way) => way.priority)));
    const taken = lowest.find(({ branch: of }) => of !== null) ?? lowest[0];
    this.enter(taken?.to ?? null);
  }

  private mayPass(): boolean {
    this.waits += 1;
    this.caused = null;
    return this.waits <= maxWaits;
  }

  private stay(): void {
    this.outcome.status = 'WAITING';
  }

  private fail(step: string, error: string): void {
    this.outcome.path.at(-1)!.status = 'FAILED';
    this.end('FAILED', `${step}: ${error}`);
  }

  private end(status: Ending['status'], reason: string | null): void {
    Object.assign(this.outcome, { status, reason });
  }

  private get variables(): Config {
    const { fields, subscribed } = this.outcome;
    const { email, event, context } = this.person;
    return {
      ...fields,
      contact: { ...fields, email, subscribed, data: fields },
      data: fields,
      customFields: fields,
      event: event?.data ?? {},
      context,
      workflow: { name: this.scenario.name },
      steps: this.outputs,
    };
  }
}
