import { Injectable } from '@nestjs/common';
import { DomainError, tooManyStreams, type WebhookEventType } from '@posthorn/contracts';
import type { FollowedEvent } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';
import { LiveStream, type StreamReader } from '../routes/live-stream.js';
import type { Surface } from '../routes/route-request.js';
import { FollowedStreams, type Follower } from './followed-streams.js';
import { LiveConnection } from './live-connection.js';
import { MissedEvents } from './missed-events.js';
import { ProjectStream } from './project-stream.js';
import { encodePosition, type StreamPosition } from './stream-position.js';
import { ToldEvents } from './told-events.js';

const keepAliveMs = 15_000;
const admitEveryMs = 10_000;
const tickMs = 1_000;
const retryAfterSeconds = 5;

export interface StreamRequest {
  projectId: string;
  surface: Surface;
  types: readonly WebhookEventType[] | undefined;
  lastEventId: string | undefined;
}

/** The readers of this process. */
@Injectable()
export class LiveStreams implements Follower {
  private readonly projects = new Map<string, ProjectStream>();
  private readonly admittedAt = new Map<string, number>();
  private count = 0;
  private isDraining = false;
  private ticks: NodeJS.Timeout | null = null;

  constructor(
    private readonly streams: FollowedStreams,
    private readonly events: ToldEvents,
    private readonly missed: MissedEvents,
    private readonly config: GatewayConfig,
  ) {}

  get isIdle(): boolean {
    return this.count === 0;
  }

  async stream(request: StreamRequest): Promise<LiveStream> {
    const { projectId, lastEventId } = request;
    this.refuseTooMany(projectId);
    const tails = await this.streams.follow(this);
    if (this.isIdle) this.streams.release(this);
    const from = lastEventId === undefined ? null : await this.missed.positionOf(projectId, lastEventId);
    return new LiveStream((reader) => {
      this.refuseTooMany(projectId);
      const project = this.projects.get(projectId) ?? new ProjectStream(projectId, this.events, tails);
      this.projects.set(projectId, project);
      return this.connect(project, request, reader, from).readable;
    });
  }

  onEvent(index: number, followed: FollowedEvent): void {
    this.projects.get(followed.event.projectId)?.take(index, followed);
  }

  onRebuilt(): void {
    for (const project of this.projects.values()) project.endAll('interrupted');
  }

  /** Readers of a gateway that stops resume at another one. */
  async drain(): Promise<void> {
    this.isDraining = true;
    for (const project of this.projects.values()) project.endAll('closing');
    await this.streams.stop();
  }

  private refuseTooMany(projectId: string): void {
    const { streamConnections, streamConnectionsPerProject } = this.config;
    if (this.count >= streamConnections || this.isDraining)
      throw tooManyStreams(streamConnections, retryAfterSeconds, 'process');
    if ((this.projects.get(projectId)?.size ?? 0) >= streamConnectionsPerProject)
      throw tooManyStreams(streamConnectionsPerProject, retryAfterSeconds, 'project');
  }

  private connect(
    project: ProjectStream,
    request: StreamRequest,
    reader: StreamReader,
    from: StreamPosition | null,
  ): LiveConnection {
    const { projectId } = project;
    const abort = new AbortController();
    const to = project.position.map((place) => ({ ...place }));
    const connection = new LiveConnection(reader, encodePosition(projectId, from ?? to), () => {
      abort.abort();
      leave();
      this.closed(project);
    });
    const leave = project.join(connection, request.surface, request.types);
    this.count += 1;
    this.ticks ??= setInterval(() => this.tick(), tickMs).unref();
    if (from) {
      connection.hold();
      void this.resume({ ...request, from, to }, connection, abort.signal);
    }
    return connection;
  }

  private async resume(
    missed: Parameters<MissedEvents['write']>[0],
    connection: LiveConnection,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.missed.write(missed, connection, signal);
      connection.release();
    } catch {
      connection.end('interrupted');
    }
  }

  private closed(project: ProjectStream): void {
    this.count -= 1;
    if (project.size === 0) this.projects.delete(project.projectId);
    if (this.count > 0) return;
    if (this.ticks) clearInterval(this.ticks);
    this.ticks = null;
    this.admittedAt.clear();
    this.streams.release(this);
  }

  private tick(): void {
    const now = performance.now();
    const byCredential = new Map<string, LiveConnection[]>();
    for (const project of this.projects.values()) {
      project.flush();
      const { id } = project;
      for (const connection of project.connections) {
        connection.judge(now);
        if (now - connection.keptAt >= keepAliveMs) {
          connection.keptAt = now;
          connection.keepAlive(id);
        }
        const { credential } = connection.reader;
        const those = byCredential.get(credential);
        if (those) those.push(connection);
        else byCredential.set(credential, [connection]);
      }
    }
    this.askAgain(byCredential, now);
  }

  /** Once for all readers with a credential. */
  private askAgain(byCredential: ReadonlyMap<string, LiveConnection[]>, now: number): void {
    for (const credential of this.admittedAt.keys())
      if (!byCredential.has(credential)) this.admittedAt.delete(credential);
    for (const [credential, connections] of byCredential) {
      const at = this.admittedAt.get(credential);
      if (at !== undefined && now - at < admitEveryMs) continue;
      this.admittedAt.set(credential, now);
      if (at === undefined) continue;
      connections[0]!.reader.admit().catch((error: unknown) => {
        if (isRefused(error)) for (const connection of connections) connection.end('credential_ended');
      });
    }
  }
}

/** A database that is away ends no credential. */
const isRefused = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'unauthenticated' || error.kind === 'forbidden');
