import type { PageSource } from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';

/** What a reader may leave or get again: a topic, a list, or all marketing mail. */
export type ChoiceOf = { kind: 'all' } | { kind: 'list'; id: string } | { kind: 'topic'; id: string };

export interface Choice {
  of: ChoiceOf;
  subscribed: boolean;
  by: PageSource;
}

/** What a mail was sent for, which one click leaves (RFC 8058). */
export function targetOf({ topicId, listId }: UnsubscribeTarget): ChoiceOf {
  if (topicId) return { kind: 'topic', id: topicId };
  return listId ? { kind: 'list', id: listId } : { kind: 'all' };
}

export const isAbout = (of: ChoiceOf | undefined, kind: 'list' | 'topic', id: string): boolean =>
  of?.kind === kind && of.id === id;

/** The form of a page posts one of these, with `do`. */
export const fieldOf = (of: ChoiceOf): [name: string, value: string] =>
  of.kind === 'all' ? ['list', 'all'] : [of.kind, of.id];

export function choiceIn(form: URLSearchParams): Pick<Choice, 'of' | 'subscribed'> | null {
  const act = form.get('do');
  const of = [readOf('topic', form.get('topic')), readOf('list', form.get('list'))].find(Boolean);
  return of && (act === 'leave' || act === 'join') ? { of, subscribed: act === 'join' } : null;
}

function readOf(kind: 'list' | 'topic', value: string | null): ChoiceOf | null {
  if (value === 'all' && kind === 'list') return { kind: 'all' };
  return value !== null && isId(value) ? { kind, id: value } : null;
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
