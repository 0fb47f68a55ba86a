import { DomainError } from '../common/errors.js';
import { Count, Flag, Id, Instant, ListOf, Nullable, Text } from '../schema/fields.js';

export class Session {
  @Id() id: string;
  @Text(0, 512) @Nullable() device: string | null;
  @Text(0, 64) @Nullable() address: string | null;
  @Instant() createdAt: Date;
  @Flag() current: boolean;
}

export class SessionList {
  @ListOf(() => Session, 0, 100) sessions: Session[];
}

export class EndedSession {
  @Id() id: string;
}

export class EndedSessions {
  @Count() ended: number;
}

export const sessionNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such session');
