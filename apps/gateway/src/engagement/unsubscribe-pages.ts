import type { ListPreference, Preferences } from '@posthorn/contracts';
import type { UnsubscribeTarget } from '@posthorn/mail';
import { html, type Html } from '../pages/html.js';
import { form, hidden, shown } from '../pages/page-kit.js';
import type { Shown } from '../pages/page.js';
import { filled, describe, type Language } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';
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

interface UnsubscribeTexts {
  request: { title: string; text: string; still: string; button: string };
  done: { title: string; text: string };
  joined: { title: string };
  saved: string;
  undo: string;
  byForm: string;
  everything: string;
  lists: string;
  onList: string;
  offList: string;
  leaveList: string;
}

const unsubscribeTexts: Readonly<Record<Language, UnsubscribeTexts>> = {
  en: {
    request: {
      title: 'Unsubscribe?',
      text: '{email} will no longer receive news from {sender}.',
      still: 'You will still receive messages about your own actions, such as receipts and password resets.',
      button: 'Unsubscribe',
    },
    done: { title: 'You are unsubscribed', text: '{email} will no longer receive news from {sender}.' },
    joined: { title: 'You are subscribed again' },
    saved: 'Your choice is saved.',
    undo: 'Undo: subscribe again',
    byForm: 'To subscribe again, please use the sign-up form of {sender}.',
    everything: 'Unsubscribe from everything',
    lists: 'Your lists',
    onList: '{email} is on the list {list} of {sender}.',
    offList: '{email} is no longer on the list {list} of {sender}.',
    leaveList: 'Leave this list',
  },
  de: {
    request: {
      title: 'Abbestellen?',
      text: '{email} bekommt dann keine Neuigkeiten mehr von {sender}.',
      still: 'Nachrichten zu dem, was Sie selbst tun, kommen weiterhin, etwa Quittungen und neue Passwörter.',
      button: 'Abbestellen',
    },
    done: { title: 'Abbestellt', text: '{email} bekommt keine Neuigkeiten mehr von {sender}.' },
    joined: { title: 'Wieder abonniert' },
    saved: 'Ihre Auswahl ist gespeichert.',
    undo: 'Rückgängig: wieder abonnieren',
    byForm: 'Zum erneuten Abonnieren nutzen Sie bitte das Anmeldeformular von {sender}.',
    everything: 'Alles abbestellen',
    lists: 'Ihre Listen',
    onList: '{email} steht auf der Liste {list} von {sender}.',
    offList: '{email} steht nicht mehr auf der Liste {list} von {sender}.',
    leaveList: 'Diese Liste verlassen',
  },
  fr: {
    request: {
      title: 'Se désabonner ?',
      text: '{email} ne recevra plus de nouvelles de {sender}.',
      still:
        'Les messages liés à vos propres démarches, comme les reçus et les nouveaux mots de passe, continuent d’arriver.',
      button: 'Se désabonner',
    },
    done: { title: 'Désabonnement effectué', text: '{email} ne reçoit plus de nouvelles de {sender}.' },
    joined: { title: 'Réabonnement effectué' },
    saved: 'Votre choix est enregistré.',
    undo: 'Annuler : se réabonner',
    byForm: 'Pour vous réabonner, utilisez le formulaire d’inscription de {sender}.',
    everything: 'Se désabonner de tout',
    lists: 'Vos listes',
    onList: '{email} est inscrit à la liste {list} de {sender}.',
    offList: '{email} n’est plus inscrit à la liste {list} de {sender}.',
    leaveList: 'Quitter cette liste',
  },
  es: {
    request: {
      title: '¿Darse de baja?',
      text: '{email} ya no recibirá novedades de {sender}.',
      still:
        'Los mensajes sobre sus propias gestiones, como recibos y contraseñas nuevas, seguirán llegando.',
      button: 'Darse de baja',
    },
    done: { title: 'Baja realizada', text: '{email} ya no recibe novedades de {sender}.' },
    joined: { title: 'Suscripción reactivada' },
    saved: 'Su elección se ha guardado.',
    undo: 'Deshacer: volver a suscribirse',
    byForm: 'Para volver a suscribirse, utilice el formulario de alta de {sender}.',
    everything: 'Darse de baja de todo',
    lists: 'Sus listas',
    onList: '{email} está en la lista {list} de {sender}.',
    offList: '{email} ya no está en la lista {list} de {sender}.',
    leaveList: 'Salir de esta lista',
  },
};
