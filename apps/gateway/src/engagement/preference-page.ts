import type { ListPreference, Preferences, TopicPreference } from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { html, type Html } from '../pages/html.js';
import { form, hidden, shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';
import { describe, filled } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';
import { fieldOf, isAbout, type Choice, type ChoiceOf } from './choice.js';
import { choiceTexts, type ChoiceTexts } from './choice-texts.js';

interface View {
  sender: Sender;
  email: string;
  texts: ChoiceTexts;
  hasLeftAll: boolean;
}

/** Everything that a person gets, and may choose. `known` is null where it could not be read, `made` what was just done. */
export function preferencePage(
  sender: Sender,
  { email }: UnsubscribeTarget,
  known: Preferences | null,
  made: Choice | null = null,
): Shown {
  const language = describe(sender.language);
  const texts = choiceTexts[language];
  const hasLeftAll = made?.of.kind === 'all' ? !made.subscribed : known?.subscribed === false;
  const view: View = { sender, email, texts, hasLeftAll };
  const { topics = [], lists = [] } = known ?? {};
  return shown(
    texts.page.title,
    html`<p>${filled(texts.page.intro, sender, { email })}</p>
      ${made ? saved(view, made, known) : null}
      ${hasLeftAll && topics.length + lists.length > 0 ? html`<p>${filled(texts.page.allOff, sender, { email })} ${texts.page.none}</p>` : null}
      ${section(
        texts.topics,
        topics.map((topic) => topicRow(view, topic)),
      )}
      ${section(
        texts.lists,
        lists.map((list) => listRow(view, list)),
      )}
      ${all(view, known)}`,
    { language, brand: sender.name },
  );
}

/** With what takes it back, unless the contact may not return by this page. */
function saved(view: View, { of, subscribed }: Choice, known: Preferences | null): Html {
  const { texts } = view;
  const mayUndo = subscribed || of.kind === 'topic' || mayReturn(of, known);
  return html`<div class="notice done" role="status">
    ${texts.saved} ${mayUndo ? action(subscribed ? 'leave' : 'join', of, texts.page.undo) : null}
  </div>`;
}

function mayReturn(of: ChoiceOf, known: Preferences | null): boolean {
  if (of.kind === 'all') return known?.mayReturn ?? false;
  return known?.lists.some((list) => isAbout(of, 'list', list.id) && list.mayReturn) ?? false;
}

const section = (heading: string, rows: readonly Html[]): Html =>
  rows.length === 0
    ? html``
    : html`<h2>${heading}</h2>
        <ul class="rows choices">
          ${rows}
        </ul>`;

const topicRow = (view: View, { id, name, description, optedIn }: TopicPreference): Html =>
  row(view, { name, description, isOn: optedIn }, switchOf(view, { kind: 'topic', id }, name, optedIn));

function listRow(view: View, { id, name, status, mayReturn: may }: ListPreference): Html {
  const isOn = status !== 'UNSUBSCRIBED';
  const by = isOn || may ? switchOf(view, { kind: 'list', id }, name, isOn) : null;
  const description = by ? null : filled(view.texts.byForm, view.sender);
  return row(view, { name, description, isOn }, by);
}

interface Described {
  name: string;
  description: string | Html | null;
  isOn: boolean;
}

/** Of somebody who gets nothing at all, a row only shows what was chosen. */
const row = ({ texts, hasLeftAll }: View, { name, description, isOn }: Described, by: Html | null): Html =>
  html`<li>
    <div>
      <p><strong>${name}</strong></p>
      ${description ? html`<p>${description}</p>` : null}
      ${hasLeftAll ? null : html`<p class="hint">${isOn ? texts.page.isOn : texts.page.isOff}</p>`}
    </div>
    ${by}
  </li>`;

function all({ sender, email, texts, hasLeftAll }: View, known: Preferences | null): Html {
  const { page, request, everything } = texts;
  const of: ChoiceOf = { kind: 'all' };
  const now = known?.subscribed === true ? page.allOn : request.text;
  const way = known?.mayReturn ? action('join', of, page.get) : html`<p>${filled(texts.byForm, sender)}</p>`;
  return html`<h2>${page.all}</h2>
    <p>${filled(hasLeftAll ? page.allOff : now, sender, { email })}</p>
    ${
      hasLeftAll
        ? way
        : html`<p>${request.still}</p>
            ${action('leave', of, everything)}`
    }`;
}

/** Screen readers also hear what it is about, because the buttons of all rows look the same. */
const switchOf = ({ texts }: View, of: ChoiceOf, name: string, isOn: boolean): Html =>
  action(
    isOn ? 'leave' : 'join',
    of,
    html`${isOn ? texts.page.stop : texts.page.get}<span class="spoken"> ${name}</span>`,
  );

const action = (what: 'leave' | 'join', of: ChoiceOf, label: string | Html): Html =>
  form([hidden('do', what), hidden(...fieldOf(of))], label, undefined, 'quiet');
