/** What a rehearsal is told to meet at a step. */
export interface WaitAnswer {
  event: Record<string, unknown>;
  afterMinutes: number;
}

export interface WebhookAnswer {
  status: number;
  body: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null for a timeout. */
export function waitAnswer(answer: unknown): WaitAnswer | null {
  if (!isObject(answer) || answer['timeout'] === true) return null;
  const minutes = answer['after_minutes'] ?? answer['afterMinutes'];
  return {
    event: isObject(answer['event']) ? answer['event'] : {},
    afterMinutes: typeof minutes === 'number' && minutes >= 0 ? minutes : 0,
  };
}

export function webhookAnswer(answer: unknown): WebhookAnswer {
  const { status, body = null } = isObject(answer) ? answer : {};
  return { status: typeof status === 'number' ? status : 200, body };
}
