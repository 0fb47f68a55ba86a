import type { Preferences } from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { html, type Html } from '../pages/html.js';
import { shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';
import { describe, filled } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';
import { isAbout, type Choice, type ChoiceOf } from './choice.js';
import { choiceRows, quietAction, type View } from './choice-rows.js';
import { choiceTexts } from './choice-texts.js';

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
      ${choiceRows(view, topics, lists)} ${all(view, known)}`,
    { language, brand: sender.name },
  );
}

/** With what takes it back, unless the contact may not return by this page. */
function saved(view: View, { of, subscribed }: Choice, known: Preferences | null): Html {
  const { texts } = view;
  const mayUndo = subscribed || of.kind === 'topic' || mayReturn(of, known);
  return html`<div class="notice done" role="status">
    ${texts.saved} ${mayUndo ? quietAction(subscribed ? 'leave' : 'join', of, texts.page.undo) : null}
  </div>`;
}

function mayReturn(of: ChoiceOf, known: Preferences | null): boolean {
  if (of.kind === 'all') return known?.mayReturn ?? false;
  return known?.lists.some((list) => isAbout(of, 'list', list.id) && list.mayReturn) ?? false;
}

function all({ sender, email, texts, hasLeftAll }: View, known: Preferences | null): Html {
  const { page, request, everything } = texts;
  const of: ChoiceOf = { kind: 'all' };
  const now = known?.subscribed === true ? page.allOn : request.text;
  const way = known?.mayReturn
    ? quietAction('join', of, page.get)
    : html`<p>${filled(texts.byForm, sender)}</p>`;
  return html`<h2>${page.all}</h2>
    <p>${filled(hasLeftAll ? page.allOff : now, sender, { email })}</p>
    ${
      hasLeftAll
        ? way
        : html`<p>${request.still}</p>
            ${quietAction('leave', of, everything)}`
    }`;
}
