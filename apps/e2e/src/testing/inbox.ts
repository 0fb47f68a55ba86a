import type { RunningPosthorn } from './running-posthorn.js';

export interface InboxMessage {
  id: string;
  subject: string;
  envelope: { from: string; to: string[] };
}

/** All messages of the development inbox, newest first. */
export async function inboxMessages(posthorn: RunningPosthorn): Promise<InboxMessage[]> {
  const messages: InboxMessage[] = [];
  for (let after: string | null = ''; after !== null;) {
    const response = await fetch(
      `${posthorn.dev.inboxUrl}/api/messages?limit=500${after ? `&after=${after}` : ''}`,
    );
    const page = (await response.json()) as { messages: InboxMessage[]; after: string | null };
    messages.push(...page.messages);
    after = page.after;
  }
  return messages;
}

export async function rawMessage(posthorn: RunningPosthorn, id: string): Promise<string> {
  return (await fetch(`${posthorn.dev.inboxUrl}/api/messages/${id}/raw`)).text();
}
