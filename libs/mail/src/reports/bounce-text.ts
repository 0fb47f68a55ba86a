import type { MailReport } from './mail-report.js';
import { bounceKind, codesIn } from './status-codes.js';

const maxText = 20_000;
const maxDetail = 500;
const sender =
  /^(?:mailer[-_. ]?daemon|postmaster|mail[-_ ]?delivery|mdaemon|bounce\w*|double-bounce|noreply-?daemon|mail[-_]?system|smtp-gateway|mailadmin)\b/i;
const subject =
  /(?:undeliver|delivery (?:status|fail|problem|has failed|notification|report)|failure notice|returned (?:mail|to sender)|non[- ]?remis|unzustellbar|nicht zugestellt|mail(?:ing)? (?:delivery|system) (?:fail|error|warning)|mail failure|could not be delivered|not delivered|non[- ]?deliver|devuelto|no entregado|no se pudo entregar|mancato recapito|undelivered|impossible de (?:remettre|distribuer)|onbestelbaar|niet bezorgd|不达|退信|退回|無法送達|配信不能|送信できません|не доставлено|недоставлен)/iu;

const unknownUser =
  /(?:user|mailbox|recipient|address|account|destinataire|empf[aä]nger|адресат|пользователь|用户|收件人|宛先|ユーザー|usuario|utente|destinatario|compte|konto|buz[oó]n)[^.\n]{0,80}(?:unknown|not (?:found|exist|known|have)|doesn'?t (?:exist|have)|does not exist|unavailable|no longer|invalid|disabled|inactive|unbekannt|nicht (?:bekannt|gefunden|existi\w{1,20}|vorhanden)|existi\w{0,20} nicht|inconnu|inexist\w{0,20}|n'existe|desconocid|no existe|sconosciut|non esiste|не (?:найден|существует)|不存在|見つかりません|存在しません)|(?:no such|unknown|invalid|non-?existent) (?:user|mailbox|recipient|address|account|local part)|no mailbox here|not our customer|不存在的用户|存在しない/iu;

const maxSaid = 1_000;
export const saysUnknownUser = (text: string): boolean => unknownUser.test(text.slice(0, maxSaid));

/** In the order of severity; the first that fits counts. */
const phrases: readonly (readonly [phrase: RegExp, report: Pick<MailReport, 'kind' | 'statusCode'>])[] = [
  [
    /(?:will (?:be )?(?:retr|keep trying|continue)|warning message only|you do not need to resend|delayed|not (?:yet )?been delivered (?:yet|after)|still trying)/iu,
    { kind: 'DELAYED' },
  ],
  [
    /(?:mailbox|inbox|quota|storage)[^.\n]{0,60}(?:full|exceed|over)|over ?quota|exceed\w{0,5} (?:storage|mailbox|quota)|insufficient (?:disk|storage)|postfach[^.\n]{0,40}voll|容量|已满|переполнен|pleine|llen[oa]/iu,
    { kind: 'SOFT_BOUNCED', statusCode: '4.2.2' },
  ],
  [unknownUser, { kind: 'BOUNCED', statusCode: '5.1.1' }],
  [
    /(?:host|domain|name)[^.\n]{0,40}(?:unknown|not found|no such|does not exist|lookup fail)|nxdomain|(?:unknown|bad|no such) (?:host|domain)|unrouteable/iu,
    { kind: 'BOUNCED', statusCode: '5.1.2' },
  ],
  [
    /(?:spam|blocked|black ?list|rejected (?:by|due)|policy|not allowed|denied|reputation)/iu,
    { kind: 'BOUNCED', statusCode: '5.7.1' },
  ],
  [
    /(?:timed? ?out|connection (?:refused|timed|reset)|could not connect|retry time|too long|expired|unable to connect)/iu,
    { kind: 'SOFT_BOUNCED', statusCode: '4.4.7' },
  ],
];

export interface Author {
  address: string;
  name: string;
}

export const isMailSystem = (from: Author): boolean => sender.test(from.address) || sender.test(from.name);
export const hasBounceSubject = (title: string): boolean => subject.test(title);

const answer = /^\s*(?:re|aw|antw|sv|vs|odp|ynt|回复|回覆|答复)\s*(?:\[\d+\])?\s*[:：]/iu;
/** Not the number of a room or a telephone. */
const smtpError =
  /(?:^|[\s:;'"(<\[])[45][0-5]\d[ -]#?[45]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)|\bsmtp error\b|\b(?:said|responded|replied|answered)\b[^\n]{0,20}:\s*[45][0-5]\d\b/im;

const quoted = /(?:^|[ \t])>.*$/gm;

/** What no mailbox writes of itself. Answers have the subject of our message, and quote what they answer. */
export const saysWhatServersSay = (title: string, text: string): boolean =>
  !answer.test(title) &&
  (hasBounceSubject(title) || smtpError.test(ownPart(text.slice(0, maxText)).replace(quoted, '')));

/** From before the copy of the message. Null where it says nothing that is known. */
export function readBounceText(text: string): Omit<MailReport, 'returnPaths'> | null {
  const said = ownPart(text.slice(0, maxText));
  const line = said.split(/\r?\n/).find((each) => each.trim() !== '' && isVerdict(each));
  const codes = codesIn(line);
  if (line !== undefined && (codes.statusCode ?? codes.replyCode) !== undefined && !isDelay(said))
    return { form: 'text', kind: bounceKind(codes), ...codes, detail: line.trim().slice(0, maxDetail) };
  const found = phrases.find(([phrase]) => phrase.test(said));
  if (!found) return null;
  const [phrase, report] = found;
  const saidLine = said.split(/\r?\n/).find((each) => phrase.test(each)) ?? line ?? '';
  return { form: 'text', ...report, ...(saidLine ? { detail: saidLine.trim().slice(0, maxDetail) } : {}) };
}

const copy =
  /^(?:-{2,} ?(?:(?:this is a|below this line is a|the) (?:copy|header)|original message|unsent message|message header|returned message|begin message|урезанное)|received: |return-path: |---+ ?below)/im;
const ownPart = (text: string): string => text.slice(0, copy.exec(text)?.index ?? text.length);
const isVerdict = (line: string): boolean => /(?:^|\D)(?:[45]\d\d[ -]|[45]\.\d{1,3}\.\d{1,3})/.test(line);
const isDelay = (text: string): boolean => phrases[0]![0].test(text);
