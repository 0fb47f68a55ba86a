import type { ConfirmedTarget } from '@posthorn/contracts';
import { html } from '../pages/html.js';
import { form, hidden, shown } from '../pages/page-kit.js';
import { policyOf } from '../pages/page-look.js';
import type { Shown } from '../pages/page.js';
import { filled, describe, type Language } from '../pages/reader-pages.js';
import type { Sender } from '../pages/senders.js';

/** The form may redirect to the list's own page, which may redirect further. */
export function buttonPage(sender: Sender, { listName: list, redirectUrl }: ConfirmedTarget): Shown {
  const language = describe(sender.language);
  const { title, text, still, button } = confirmTexts[language].request;
  const headers: Record<string, string> =
    redirectUrl === null ? {} : { 'content-security-policy': policyOf("'self' https:") };
  const body = html`<p>${filled(text, sender, { list })}</p>
    <p>${still}</p>
    ${form(hidden('confirmed', 'yes'), button)}`;
  return shown(title, body, { language, headers });
}

export function donePage(sender: Sender, { listName: list }: ConfirmedTarget): Shown {
  const language = describe(sender.language);
  const { title, text } = confirmTexts[language].done;
  return shown(title, html`<p role="status">${filled(text, sender, { list })}</p>`, { language });
}

export function overPage(sender: Sender): Shown {
  const language = describe(sender.language);
  const { title, text } = confirmTexts[language].over;
  return shown(title, html`<p role="alert">${filled(text, sender)}</p>`, { language, status: 410 });
}

/** Neither the sender nor the language is known. */
export const unknownPage = shown(
  'This link is not valid',
  html`<p role="alert">It may be incomplete. Please open the link in the mail again.</p>`,
  { status: 404 },
);

/** `{sender}` and `{list}` are inserted as text; the list is unknown for an expired link. */
interface ConfirmTexts {
  request: { title: string; text: string; still: string; button: string };
  done: { title: string; text: string };
  over: { title: string; text: string };
}

const confirmTexts: Readonly<Record<Language, ConfirmTexts>> = {
  en: {
    request: {
      title: 'Confirm your subscription',
      text: 'Press the button to subscribe to {list} from {sender}.',
      still: 'If you did not request this, close this page and nothing will happen.',
      button: 'Confirm',
    },
    done: { title: 'You are subscribed', text: 'You will now receive {list} from {sender}.' },
    over: {
      title: 'This link is no longer valid',
      text: 'It was already used or has expired. If you still want news from {sender}, please subscribe again.',
    },
  },
  de: {
    request: {
      title: 'Anmeldung bestätigen',
      text: 'Mit der Schaltfläche melden Sie sich für {list} von {sender} an.',
      still: 'Wenn Sie darum nicht gebeten haben, schließen Sie diese Seite: Dann geschieht nichts.',
      button: 'Bestätigen',
    },
    done: { title: 'Sie sind angemeldet', text: 'Ab jetzt bekommen Sie {list} von {sender}.' },
    over: {
      title: 'Dieser Link gilt nicht mehr',
      text: 'Er wurde schon benutzt oder ist zu alt. Wenn Sie weiterhin Neuigkeiten von {sender} möchten, melden Sie sich bitte noch einmal an.',
    },
  },
  fr: {
    request: {
      title: 'Confirmer votre inscription',
      text: 'Avec le bouton, vous vous inscrivez à {list} de {sender}.',
      still: 'Si vous n’avez rien demandé, fermez cette page : il ne se passera rien.',
      button: 'Confirmer',
    },
    done: { title: 'Inscription confirmée', text: 'Vous recevez désormais {list} de {sender}.' },
    over: {
      title: 'Ce lien n’est plus valable',
      text: 'Il a déjà servi ou il est trop ancien. Si vous souhaitez toujours les nouvelles de {sender}, veuillez vous inscrire à nouveau.',
    },
  },
  es: {
    request: {
      title: 'Confirmar su suscripción',
      text: 'Con el botón se suscribe a {list} de {sender}.',
      still: 'Si no lo ha pedido, cierre esta página: no pasará nada.',
      button: 'Confirmar',
    },
    done: { title: 'Suscripción confirmada', text: 'A partir de ahora recibe {list} de {sender}.' },
    over: {
      title: 'Este enlace ya no sirve',
      text: 'Ya se ha usado o es demasiado antiguo. Si todavía desea novedades de {sender}, suscríbase de nuevo.',
    },
  },
};
