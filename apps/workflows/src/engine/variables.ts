/** What conditions, mails and webhooks of an execution can name (docs/api-decisions.md §7). */
export interface VariableSources {
  contact: { id: string; email: string; subscribed: boolean; customFields: Record<string, unknown> };
  event: Record<string, unknown> | null;
  context: Record<string, unknown>;
  workflow: { id: string; name: string };
  execution: { id: string; startedAt: Date };
  /** What steps put out, by name; of a step that was visited again, the last. */
  steps: Record<string, unknown>;
}

export class Variables {
  constructor(private readonly sources: VariableSources) {}

  /** `contact.email`, `customFields.plan.name`, `event.order.total` and so on; undefined where nothing is there. */
  valueOf(field: string): unknown {
    const [root, ...path] = field.split('.');
    if (root === 'customFields' || root === 'data') return inside(this.sources.contact.customFields, path);
    return inside(this.shown(), [root!, ...path]);
  }

  shown(): Record<string, unknown> {
    const { contact, event, context, workflow, execution, steps } = this.sources;
    const { customFields, ...known } = contact;
    return {
      ...customFields,
      contact: { ...customFields, ...known, data: customFields },
      event: event ?? {},
      context,
      workflow,
      execution: { ...execution, startedAt: execution.startedAt.toISOString() },
      steps,
    };
  }
}

/** Own members of objects only: `__proto__` and the like lead nowhere. */
function inside(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    const isThere =
      typeof found === 'object' && found !== null && !Array.isArray(found) && Object.hasOwn(found, name);
    if (!isThere) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
