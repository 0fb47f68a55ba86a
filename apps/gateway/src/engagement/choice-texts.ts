import type { Language } from '../pages/reader-pages.js';

export interface ChoiceTexts {
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
  topics: string;
  onTopic: string;
  offTopic: string;
  leaveTopic: string;
  page: PageTexts;
}

/** Of the page on which a person chooses. */
interface PageTexts {
  title: string;
  intro: string;
  isOn: string;
  isOff: string;
  get: string;
  stop: string;
  undo: string;
  all: string;
  allOn: string;
  allOff: string;
  none: string;
}

export const choiceTexts: Readonly<Record<Language, ChoiceTexts>> = {
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
    topics: 'Your topics',
    onTopic: '{email} receives the topic {topic} of {sender}.',
    offTopic: '{email} does not receive the topic {topic} of {sender}.',
    leaveTopic: 'Stop this topic',
    page: {
      title: 'What you receive',
      intro: 'Choose what {sender} sends to {email}.',
      isOn: 'You receive this.',
      isOff: 'You do not receive this.',
      get: 'Subscribe',
      stop: 'Unsubscribe',
      undo: 'Undo',
      all: 'Everything',
      allOn: '{email} receives news from {sender}.',
      allOff: '{email} is unsubscribed from everything.',
      none: 'Until you subscribe again, nothing of this is sent to you.',
    },
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
    topics: 'Ihre Themen',
    onTopic: '{email} bekommt das Thema {topic} von {sender}.',
    offTopic: '{email} bekommt das Thema {topic} von {sender} nicht.',
    leaveTopic: 'Dieses Thema abbestellen',
    page: {
      title: 'Was Sie bekommen',
      intro: 'Wählen Sie, was {sender} an {email} schickt.',
      isOn: 'Das bekommen Sie.',
      isOff: 'Das bekommen Sie nicht.',
      get: 'Abonnieren',
      stop: 'Abbestellen',
      undo: 'Rückgängig',
      all: 'Alles',
      allOn: '{email} bekommt Neuigkeiten von {sender}.',
      allOff: '{email} hat alles abbestellt.',
      none: 'Bis Sie wieder abonnieren, bekommen Sie nichts davon.',
    },
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
    topics: 'Vos thèmes',
    onTopic: '{email} reçoit le thème {topic} de {sender}.',
    offTopic: '{email} ne reçoit pas le thème {topic} de {sender}.',
    leaveTopic: 'Ne plus recevoir ce thème',
    page: {
      title: 'Ce que vous recevez',
      intro: 'Choisissez ce que {sender} envoie à {email}.',
      isOn: 'Vous le recevez.',
      isOff: 'Vous ne le recevez pas.',
      get: 'S’abonner',
      stop: 'Se désabonner',
      undo: 'Annuler',
      all: 'Tout',
      allOn: '{email} reçoit des nouvelles de {sender}.',
      allOff: '{email} est désabonné de tout.',
      none: 'Tant que vous ne vous réabonnez pas, rien de cela ne vous est envoyé.',
    },
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
    topics: 'Sus temas',
    onTopic: '{email} recibe el tema {topic} de {sender}.',
    offTopic: '{email} no recibe el tema {topic} de {sender}.',
    leaveTopic: 'No recibir más este tema',
    page: {
      title: 'Lo que recibe',
      intro: 'Elija qué envía {sender} a {email}.',
      isOn: 'Lo recibe.',
      isOff: 'No lo recibe.',
      get: 'Suscribirse',
      stop: 'Darse de baja',
      undo: 'Deshacer',
      all: 'Todo',
      allOn: '{email} recibe novedades de {sender}.',
      allOff: '{email} se dio de baja de todo.',
      none: 'Mientras no vuelva a suscribirse, no recibirá nada de esto.',
    },
  },
};
