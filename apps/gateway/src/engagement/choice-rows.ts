import type { ListPreference, TopicPreference } from '@posthorn/contracts';
import { html, type Html } from '../pages/html.js';
import { form, hidden } from '../pages/page-kit.js';
import { filled } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';
import { fieldOf, type ChoiceOf } from './choice.js';
import type { ChoiceTexts } from './choice-texts.js';

export interface View {
  sender: Sender;
  email: string;
  texts: ChoiceTexts;
  hasLeftAll: boolean;
}

/** A row with a button for each topic and each list. */
export const choiceRows = (
  view: View,
  topics: readonly TopicPreference[],
  lists: readonly ListPreference[],
): Html =>
  html`${section(
    view.texts.topics,
    topics.map((topic) => topicRow(view, topic)),
  )}
  ${section(
    view.texts.lists,
    lists.map((list) => listRow(view, list)),
  )}`;

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

/** Screen readers also hear what it is about, because the buttons of all rows look the same. */
const switchOf = ({ texts }: View, of: ChoiceOf, name: string, isOn: boolean): Html =>
  quietAction(
    isOn ? 'leave' : 'join',
    of,
    html`${isOn ? texts.page.stop : texts.page.get}<span class="spoken"> ${name}</span>`,
  );

/** The one thing that a page is for; everything else on it is quiet. */
export const action = (what: 'leave' | 'join', of: ChoiceOf, label: string): Html =>
  form([hidden('do', what), hidden(...fieldOf(of))], label);

export const quietAction = (what: 'leave' | 'join', of: ChoiceOf, label: string | Html): Html =>
  form([hidden('do', what), hidden(...fieldOf(of))], label, undefined, 'quiet');
