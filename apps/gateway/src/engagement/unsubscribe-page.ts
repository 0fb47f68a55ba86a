import type { ListPreference, Preferences, TopicPreference } from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { html, type Html } from '../pages/html.js';
import { shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';
import { filled, describe } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';
import { isAbout, targetOf, type Choice, type ChoiceOf } from './choice.js';
import { action, choiceRows, quietAction, type View } from './choice-rows.js';
import { choiceTexts } from './choice-texts.js';

/** What the link is for comes first: one topic, one list, or all marketing mail; then everything else. `known` is null where it could not be read, `made` what was just done. */
export function unsubscribePage(
  sender: Sender,
  location: UnsubscribeTarget,
  known: Preferences | null,
  made: Choice | null = null,
): Shown {
  const { email } = location;
  const target = targetOf(location);
  const language = describe(sender.language);
  const texts = choiceTexts[language];
  const { topics = [], lists = [] } = known ?? {};
  const topic = topics.find(({ id }) => isAbout(target, 'topic', id)) ?? null;
  const list = lists.find(({ id }) => isAbout(target, 'list', id)) ?? null;
  const hasLeftAll = made?.of.kind === 'all' ? !made.subscribed : known?.subscribed === false;
  const view: View = { sender, email, texts, hasLeftAll };
  const first = topic ? aboutTopic(view, topic) : list && aboutList(view, list);
  const hasLeftFirst = topic ? !topic.optedIn : list?.status === 'UNSUBSCRIBED';
  const isOver = made ? !made.subscribed : hasLeftAll || hasLeftFirst;
  const { title } = isOver ? texts.done : made?.subscribed ? texts.joined : texts.request;
  const others = {
    topics: topics.filter(({ id }) => id !== topic?.id),
    lists: lists.filter(({ id }) => id !== list?.id),
  };
  return shown(
    title,
    html`${made ? html`<p role="status">${texts.saved}</p>` : null} ${first}
    ${aboutAll(view, { hasLeft: hasLeftAll, mayReturn: known?.mayReturn ?? false }, first !== null)}
    ${choiceRows(view, others.topics, others.lists)}`,
    { language, brand: sender.name },
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
        ${wayBack(view, { kind: 'all' }, mayReturn)}`
    : html`${heading}
        <p>${filled(request.text, sender, { email })}</p>
        <p>${request.still}</p>
        ${isSecond ? quietAction('leave', { kind: 'all' }, everything) : action('leave', { kind: 'all' }, request.button)}`;
}

function aboutTopic(view: View, { id, name, optedIn }: TopicPreference): Html {
  const { sender, email, texts } = view;
  const of: ChoiceOf = { kind: 'topic', id };
  return optedIn
    ? html`<p>${filled(texts.onTopic, sender, { email, topic: name })}</p>
        ${action('leave', of, texts.leaveTopic)}`
    : html`<p>${filled(texts.offTopic, sender, { email, topic: name })}</p>
        ${action('join', of, texts.undo)}`;
}

function aboutList(view: View, { id, name, status, mayReturn }: ListPreference): Html {
  const { sender, email, texts } = view;
  const of: ChoiceOf = { kind: 'list', id };
  return status === 'UNSUBSCRIBED'
    ? html`<p>${filled(texts.offList, sender, { email, list: name })}</p>
        ${wayBack(view, of, mayReturn)}`
    : html`<p>${filled(texts.onList, sender, { email, list: name })}</p>
        ${action('leave', of, texts.leaveList)}`;
}

const wayBack = ({ sender, texts }: View, of: ChoiceOf, mayReturn: boolean): Html =>
  mayReturn ? action('join', of, texts.undo) : html`<p>${filled(texts.byForm, sender)}</p>`;
