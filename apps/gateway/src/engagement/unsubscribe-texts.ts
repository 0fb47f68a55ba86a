import type { Language } from '../pages/reader-texts.js';

interface UnsubscribeTexts {
  request: { title: string; text: string; still: string; button: string };
  done: { title: string; text: string };
}

export const unsubscribeTexts: Readonly<Record<Language, UnsubscribeTexts>> = {
  en: {
    request: {
      title: 'Unsubscribe?',
      text: '{email} will no longer receive news from {sender}.',
      still: 'You will still receive messages about your own actions, such as receipts and password resets.',
      button: 'Unsubscribe',
    },
    done: { title: 'You are unsubscribed', text: '{email} will no longer receive news from {sender}.' },
  },
  de: {
    request: {
      title: 'Abbestellen?',
      text: '{email} bekommt dann keine Neuigkeiten mehr von {sender}.',
      still: 'Nachrichten zu dem, was Sie selbst tun, kommen weiterhin, etwa Quittungen und neue Passwörter.',
      button: 'Abbestellen',
    },
    done: { title: 'Abbestellt', text: '{email} bekommt keine Neuigkeiten mehr von {sender}.' },
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
  },
};
