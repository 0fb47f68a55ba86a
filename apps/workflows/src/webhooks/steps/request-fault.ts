import {
  headerFault,
  outboundRefusals,
  RefusedTarget,
  targetOf,
  type OutboundRules,
} from '@posthorn/outbound';

interface Request {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** Why a call cannot leave, as far as that is known before its name is resolved: for executions and for rehearsals. */
export const requestFault = ({ url, headers }: Request, rules: OutboundRules): string | null =>
  urlFault(url, rules) ?? headersFault(headers);

export function headersFault(headers: Request['headers']): string | null {
  const refused = Object.entries(headers).find(([name, value]) => headerFault(name, value) !== null);
  return refused ? `The header ${refused[0]} cannot be sent` : null;
}

function urlFault(url: string, rules: OutboundRules): string | null {
  try {
    targetOf(url, rules);
    return null;
  } catch (error) {
    if (!(error instanceof RefusedTarget)) throw error;
    return `The URL ${outboundRefusals[error.refusal]}`;
  }
}
