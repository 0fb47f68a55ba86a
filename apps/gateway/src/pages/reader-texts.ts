export type Language = 'en' | 'de' | 'fr' | 'es';

interface ReaderTexts {
  later: { title: string; text: string };
  sender: string;
}

export const readerTexts: Readonly<Record<Language, ReaderTexts>> = {
  en: {
    later: { title: 'Temporarily unavailable', text: 'Nothing was changed. Please try again in a minute.' },
    sender: 'this sender',
  },
  de: {
    later: {
      title: 'Gerade nicht möglich',
      text: 'Es hat sich nichts geändert. Bitte versuchen Sie es in einer Minute noch einmal.',
    },
    sender: 'diesem Absender',
  },
  fr: {
    later: {
      title: 'Impossible pour le moment',
      text: 'Rien n’a changé. Veuillez réessayer dans une minute.',
    },
    sender: 'cet expéditeur',
  },
  es: {
    later: { title: 'Ahora no es posible', text: 'Nada ha cambiado. Inténtelo de nuevo en un minuto.' },
    sender: 'este remitente',
  },
};
