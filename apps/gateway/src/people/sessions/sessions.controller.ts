import { Controller } from '@nestjs/common';
import { EndedSession, EndedSessions, SessionList, sessionNotFound } from '@posthorn/contracts';
import type { RouteRequest } from '../../routes/route-request.js';
import { Delete, Get } from '../../routes/route.js';
import { SessionsRepository } from './sessions.repository.js';

@Controller()
export class SessionsController {
  constructor(private readonly sessions: SessionsRepository) {}

  @Get('users/me/sessions', {
    summary: 'List the current user’s sessions, newest first',
    scope: 'projects:read',
    callers: ['SESSION'],
    project: 'NONE',
    reply: SessionList,
  })
  async list({ caller, sessionId }: RouteRequest): Promise<SessionList> {
    return { sessions: await this.sessions.list(caller.actor.id, sessionId!) };
  }

  @Delete('users/me/sessions/:id', {
    summary: 'End a session',
    scope: 'projects:read',
    callers: ['SESSION'],
    project: 'NONE',
    reply: EndedSession,
    success: 'deleted',
    missing: sessionNotFound,
  })
  async end({ caller, params }: RouteRequest): Promise<EndedSession> {
    const id = params['id']!;
    if (!(await this.sessions.end(caller.actor.id, id))) throw sessionNotFound();
    return { id };
  }

  @Delete('users/me/sessions', {
    summary: 'End all other sessions',
    scope: 'projects:read',
    callers: ['SESSION'],
    project: 'NONE',
    reply: EndedSessions,
    legacySuccess: 'deleted',
  })
  async endOthers({ caller, sessionId }: RouteRequest): Promise<EndedSessions> {
    return { ended: await this.sessions.endOthers(caller.actor.id, sessionId!) };
  }
}
