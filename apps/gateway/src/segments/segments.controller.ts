import { Controller } from '@nestjs/common';
import {
  AddedMembers,
  AddMembers,
  Contact,
  CreateSegment,
  DeletedSegment,
  PreviewSegment,
  RemovedMembers,
  Segment,
  SegmentAddresses,
  segmentInUse,
  segmentUsed,
  segmentNameTaken,
  tooManySegments,
  segmentNotFound,
  segmentNotStatic,
  SegmentPreview,
  segments,
  UpdateSegment,
  type ContactPage,
  type SegmentPage,
} from '@posthorn/contracts';
import { Bus, shareFor } from '@posthorn/messaging';
import type { RouteRequest } from '../edge/routes/route-request.js';
import { Delete, Get, Patch, Post } from '../edge/routes/route.js';

/** Evaluates a condition for all contacts of the project. */
const waiting = { timeoutMs: 30_000 };

const members = {
  scope: 'segments:write',
  body: SegmentAddresses,
  missing: segmentNotFound,
  errors: [segmentNotStatic],
} as const;

@Controller()
export class SegmentsController {
  constructor(private readonly bus: Bus) {}

  @Post('segments', {
    summary: 'Create a segment: DYNAMIC with a condition, or STATIC with members added by address',
    scope: 'segments:write',
    body: CreateSegment,
    reply: Segment,
    success: 'created',
    errors: [segmentNameTaken, tooManySegments],
  })
  create({ caller, body }: RouteRequest<CreateSegment>): Promise<Segment> {
    return this.bus.call(segments.create, caller, body, waiting);
  }

  @Get('segments', {
    summary: 'List segments, newest first',
    scope: 'segments:read',
    listed: 'items',
    reply: Segment,
  })
  list({ caller, listPage }: RouteRequest): Promise<SegmentPage> {
    return this.bus.call(segments.list, caller, listPage);
  }

  @Post('segments/preview', {
    summary: 'Preview a condition: count the contacts it matches and those each filter excludes',
    scope: 'segments:read',
    body: PreviewSegment,
    reply: SegmentPreview,
    onlyReads: true,
  })
  preview({ caller, body }: RouteRequest<PreviewSegment>): Promise<SegmentPreview> {
    return this.bus.call(segments.preview, caller, body, waiting);
  }

  @Get('segments/:id', {
    summary: 'Get a segment',
    scope: 'segments:read',
    reply: Segment,
    missing: segmentNotFound,
  })
  get({ caller, params }: RouteRequest): Promise<Segment> {
    return this.bus.call(segments.get, caller, { id: params['id']! });
  }

  @Patch('segments/:id', {
    summary: 'Update a segment; a new condition recomputes its members',
    scope: 'segments:write',
    body: UpdateSegment,
    reply: Segment,
    errors: [segmentNameTaken],
    missing: segmentNotFound,
  })
  update({ caller, params, body }: RouteRequest<UpdateSegment>): Promise<Segment> {
    return this.bus.call(segments.update, caller, { ...body, id: params['id']! }, waiting);
  }

  @Delete('segments/:id', {
    summary: 'Delete a segment that is not in use',
    scope: 'segments:write',
    reply: DeletedSegment,
    success: 'deleted',
    errors: [segmentInUse, segmentUsed],
    missing: segmentNotFound,
  })
  delete({ caller, params }: RouteRequest): Promise<DeletedSegment> {
    return this.bus.call(segments.delete, caller, { id: params['id']! }, waiting);
  }

  @Get('segments/:id/contacts', {
    summary: 'List the contacts of a segment, newest first',
    scope: 'segments:read',
    listed: 'items',
    reply: Contact,
    missing: segmentNotFound,
  })
  contacts({ caller, params, listPage }: RouteRequest): Promise<ContactPage> {
    return this.bus.call(segments.contacts, caller, { ...listPage, id: params['id']! });
  }

  @Post('segments/:id/members', {
    ...members,
    summary: 'Add contacts to a STATIC segment by address',
    body: AddMembers,
    reply: AddedMembers,
  })
  addMembers({ caller, params, body }: RouteRequest<AddMembers>): Promise<AddedMembers> {
    const timeoutShare = shareFor(body.emails.length);
    return this.bus.call(segments.addMembers, caller, { ...body, id: params['id']! }, { timeoutShare });
  }

  @Delete('segments/:id/members', {
    ...members,
    summary: 'Remove contacts from a STATIC segment by address',
    reply: RemovedMembers,
    legacySuccess: 'deleted',
  })
  removeMembers({ caller, params, body }: RouteRequest<SegmentAddresses>): Promise<RemovedMembers> {
    const timeoutShare = shareFor(body.emails.length);
    return this.bus.call(segments.removeMembers, caller, { ...body, id: params['id']! }, { timeoutShare });
  }
}
