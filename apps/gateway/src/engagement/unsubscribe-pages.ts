import type { ListPreference, Preferences } from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { html, type Html } from '../pages/html.js';
import { form, hidden, shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';
import { filled, describe } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';
import { unsubscribeTexts, type UnsubscribeTexts } from './unsubscribe-texts.js';
import type { Choice } from './unsubscribe.service.js';

interface View {
  sender: Sender;
  email: string;
  texts: UnsubscribeTexts;
}

/** What the link is for comes first: one list, or all marketing mail; then everything else. `known` is null where it could not be read, `made` what was just done. */
export function preferencePage(
  sender: Sender,
  { email, listId = null }: UnsubscribeTarget,
  known: Preferences | null,
  made: Choice | null = null,
): Shown {
  const language = describe(sender.language);
  const texts = unsubscribeTexts[language];
  const view: View = { sender, email, texts };
  const lists = known?.lists ?? [];
  const list = lists.find(({ id }) => id === listId) ?? null;
  const hasLeftAll = made && made.listId === null ? !made.subscribed : known?.subscribed === false;
  const others = lists.filter(({ id }) => id !== list?.id);
  const first = list ? aboutList(view, list) : null;
  const isOver = made ? !made.subscribed : list && !hasLeftAll ? list.status === 'UNSUBSCRIBED' : hasLeftAll;
  const { title } = isOver ? texts.done : made?.subscribed ? texts.joined : texts.request;
  return shown(
    title,
    html`${made ? html`<p role="status">${texts.saved}</p>` : null} ${first}
    ${aboutAll(view, { hasLeft: hasLeftAll, mayReturn: known?.mayReturn ?? false }, list !== null)}
    ${others.length > 0 ? html`<h2>${texts.lists}</h2>` : null} ${others.map((each) => aboutList(view, each))}`,
    { language },
  );
}

function aboutAll(
  view: View,
  { hasLeft, mayReturn }: { hasLeft: boolean; mayReturn: boolean },
  isSecond: boolean,
): Html {
  const { sender, email, texts } = view;
  const { done, request, everything } = texts;
  const heading = isSecond ? html`<h2>${everything}</h2>` : null;
  return hasLeft
    ? html`${heading}
        <p role="status">${filled(done.text, sender, { email })}</p>
        ${wayBack(view, 'all', mayReturn)}`
    : html`${heading}
        <p>${filled(request.text, sender, { email })}</p>
        <p>${request.still}</p>
        ${action('leave', 'all', isSecond ? everything : request.button)}`;
}

function aboutList(view: View, { id, name, status, mayReturn }: ListPreference): Html {
  const { sender, email, texts } = view;
  const { onList, offList, leaveList } = texts;
  return status === 'UNSUBSCRIBED'
    ? html`<p>${filled(offList, sender, { email, list: name })}</p>
        ${wayBack(view, id, mayReturn)}`
    : html`<p>${filled(onList, sender, { email, list: name })}</p>
        ${action('leave', id, leaveList)}`;
}

const wayBack = ({ sender, texts }: View, list: string, mayReturn: boolean): Html =>
  mayReturn ? action('join', list, texts.undo) : html`<p>${filled(texts.byForm, sender)}</p>`;

const action = (what: 'leave' | 'join', list: string, label: string): Html =>
  form([hidden('do', what), hidden('list', list)], label);
