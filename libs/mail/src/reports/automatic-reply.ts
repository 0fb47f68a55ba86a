export interface Headers {
  get(name: string): string | undefined;
}

const automatic = /^(?:auto-replied|auto-notified|auto-generated)\b/i;
const vacation =
  /(?<!\p{L})(?:out of (?:the )?office|automatic reply|auto(?:matic)?[- ]?(?:reply|response|antwort)|automatische antwort|abwesenheit\w{0,20}|away from (?:the|my) (?:office|desk)|on (?:vacation|holiday|leave)|r[ée]ponse automatique|absence du bureau|absent du bureau|respuesta autom[aá]tica|fuera de (?:la )?oficina|risposta automatica|fuori sede|resposta autom[aá]tica|automatisch antwoord|afwezig\w{0,20}|autosvar|automatyczna odpowied[zź]|nieobecno[sś][cć]|автоответ|自动回复|自動回覆|自動応答|不在)(?!\p{L})/iu;

interface Signs {
  /** Only servers report, which name the addresses that failed (Exim), sign as a mail system, or write from no address of what a server said. */
  isFromServer: boolean;
  hasReport: boolean;
}

/** A person's mailbox answers, so the message was delivered. Reports of servers have no reader's subject. */
export function isAutomaticReply(
  headers: Headers,
  subject: string,
  { isFromServer, hasReport }: Signs,
): boolean {
  if (hasReport) return false;
  const submitted = headers.get('auto-submitted') ?? '';
  // Servers say this of their bounces, too, although RFC 3834 §5 has another word for them.
  if (/^auto-replied\b/i.test(submitted) && !isFromServer) return true;
  if (headers.get('x-autoreply') !== undefined || headers.get('x-autorespond') !== undefined) return true;
  if (/auto_reply|vacation/i.test(headers.get('precedence') ?? '')) return true;
  return vacation.test(subject) || (automatic.test(submitted) && vacation.test(headers.get('subject') ?? ''));
}
