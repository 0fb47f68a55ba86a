import { Injectable } from '@nestjs/common';
import type { WebhookMethod } from '@posthorn/contracts';
import { rightsFault, LenderStandings } from '../authorities/standings.js';
import { outboundRulesOf, WorkflowsConfig } from '../config.js';
import { requestFault } from '../webhooks/steps/step-calls.js';
import { StepTexts } from '../texts/step-texts.js';
import { textsOfCall, type CallConfig } from '../texts/texts-of-stop.js';
import type { Activation } from './activation.js';

export interface StepRequest {
  method: WebhookMethod;
  url: string;
  headers: Record<string, string>;
  body: string | null;
}

/** What webhook steps send: URL, header values and texts in the body are Liquid. */
@Injectable()
export class WebhookRequests {
  constructor(
    private readonly texts: StepTexts,
    private readonly standings: LenderStandings,
    private readonly config: WorkflowsConfig,
  ) {}

  async of(
    projectId: string,
    activations: readonly Activation[],
  ): Promise<Map<Activation, StepRequest | Error>> {
    const configs = new Map(activations.map((activation) => [activation, activation.webhook as CallConfig]));
    const wanted = [...configs].map(([activation, config]) => ({ activation, texts: textsOfCall(config) }));
    const rendered = await this.texts.render(projectId, wanted);
    const standings = await this.standings.ofEach(projectId, activations);
    return new Map(
      [...configs].map(([activation, config]) => {
        const fault = rightsFault(standings.get(activation)!, 'WEBHOOK');
        if (fault !== null) return [activation, new Error(fault)];
        const texts = rendered.get(activation)!;
        return [
          activation,
          texts instanceof Error ? texts : this.judged(requestOf(activation, config, texts)),
        ];
      }),
    );
  }

  private judged(request: StepRequest): StepRequest | Error {
    const fault = requestFault(request, outboundRulesOf(this.config));
    return fault === null ? request : new Error(fault);
  }
}

function requestOf(
  activation: Activation,
  { method = 'POST', headers = {}, body }: CallConfig,
  texts: string[],
): StepRequest {
  const rest = texts.slice(1);
  const values = rest.splice(0, Object.keys(headers).length);
  const given = Object.fromEntries(Object.keys(headers).map((name, index) => [name, values[index]!]));
  const hasBody = method !== 'GET';
  const sent = body === undefined ? defaultPayload(activation) : withLeaves(body, rest);
  const isText = typeof sent === 'string';
  const hasType = Object.keys(given).some((name) => name.toLowerCase() === 'content-type');
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    method,
    url: texts[0]!,
    headers: { ...(hasBody && !hasType ? { 'content-type': type } : {}), ...given },
    body: hasBody ? (isText ? sent : JSON.stringify(sent)) : null,
  };
}

/** Where the step has no body of its own (docs/api-decisions.md §7). */
function defaultPayload({ sources }: Activation): object {
  const { contact, workflow, execution, event } = sources;
  return {
    contact: { email: contact.email, subscribed: contact.subscribed, data: contact.customFields },
    workflow,
    execution: { id: execution.id, startedAt: execution.startedAt.toISOString() },
    event: event ?? {},
  };
}

/** Takes the texts in the order in which `textsOfCall` found them. */
function withLeaves(value: unknown, texts: string[]): unknown {
  if (typeof value === 'string') return texts.shift();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => withLeaves(entry, texts));
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withLeaves(entry, texts)]));
}
