/** What the page of an unsubscribe link says. `{email}` and `{sender}` are put in as text. */
interface UnsubscribeWords {
  ask: { title: string; text: string; still: string; button: string };
  done: { title: string; text: string };
  later: { title: string; text: string };
  /** Where the name is not known. */
  sender: string;
}

const words = {
  en: {
    ask: {
      title: 'Unsubscribe?',
      text: '{email} will get no more news from {sender}.',
      still: 'Messages about what you do yourself, such as receipts and new passwords, still come.',
      button: 'Unsubscribe',
    },
    done: { title: 'You are unsubscribed', text: '{email} gets no more news from {sender}.' },
    later: { title: 'Not right now', text: 'Nothing has changed. Please try again in a minute.' },
    sender: 'this sender',
  },
  de: {
    ask: {
      title: 'Abbestellen?',
      text: '{email} bekommt dann keine Neuigkeiten mehr von {sender}.',
      still: 'Nachrichten zu dem, was Sie selbst tun, kommen weiterhin, etwa Quittungen und neue Passwörter.',
      button: 'Abbestellen',
    },
    done: { title: 'Abbestellt', text: '{email} bekommt keine Neuigkeiten mehr von {sender}.' },
    later: { title: 'Gerade nicht möglich', text: 'Es hat sich nichts geändert. Bitte versuchen Sie es in einer Minute noch einmal.' },
    sender: 'diesem Absender',
  },
  fr: {
    ask: {
      title: 'Se désabonner ?',
      text: '{email} ne recevra plus de nouvelles de {sender}.',
      still: 'Les messages liés à vos propres démarches, comme les reçus et les nouveaux mots de passe, continuent d’arriver.',
      button: 'Se désabonner',
    },
    done: { title: 'Désabonnement effectué', text: '{email} ne reçoit plus de nouvelles de {sender}.' },
    later: { title: 'Impossible pour le moment', text: 'Rien n’a changé. Veuillez réessayer dans une minute.' },
    sender: 'cet expéditeur',
  },
  es: {
    ask: {
      title: '¿Darse de baja?',
      text: '{email} ya no recibirá novedades de {sender}.',
      still: 'Los mensajes sobre sus propias gestiones, como recibos y contraseñas nuevas, seguirán llegando.',
      button: 'Darse de baja',
    },
    done: { title: 'Baja realizada', text: '{email} ya no recibe novedades de {sender}.' },
    later: { title: 'Ahora no es posible', text: 'Nada ha cambiado. Inténtelo de nuevo en un minuto.' },
    sender: 'este remitente',
  },
} as const satisfies Record<string, UnsubscribeWords>;

/** The language that is spoken here, for one that is asked for: `de-AT` is `de`, and what is not known is English. */
export function spoken(language: string): { language: string; words: UnsubscribeWords } {
  const [root = ''] = language.toLowerCase().split('-');
  return Object.hasOwn(words, root) ? { language: root, words: words[root as keyof typeof words] } : { language: 'en', words: words.en };
}
