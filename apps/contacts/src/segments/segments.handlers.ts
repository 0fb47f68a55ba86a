import { Controller } from '@nestjs/common';
import {
  segments,
  type AddedMembers,
  type AddMembersById,
  type ContactPage,
  type CreateSegment,
  type DeletedSegment,
  type ListSegmentContacts,
  type ListSegments,
  type PreviewSegment,
  type RemovedMembers,
  type RemoveMembersById,
  type Segment,
  type SegmentId,
  type SegmentPage,
  type SegmentPreview,
  type UpdateSegmentById,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { SegmentDeletionService } from './segment-deletion.service.js';
import { SegmentMembersService } from './members/segment-members.service.js';
import { SegmentPreviewsService } from './segment-previews.service.js';
import { SegmentsService } from './segments.service.js';

@Controller()
export class SegmentsHandlers {
  constructor(
    private readonly service: SegmentsService,
    private readonly members: SegmentMembersService,
    private readonly previews: SegmentPreviewsService,
    private readonly deletion: SegmentDeletionService,
  ) {}

  @Handles(segments.create)
  create(call: Incoming<CreateSegment>): Promise<Segment> {
    return this.service.create(call);
  }

  @Handles(segments.get)
  get({ caller, body }: Incoming<SegmentId>): Promise<Segment> {
    return this.service.get(caller.projectId, body.id);
  }

  @Handles(segments.list)
  list({ caller, body }: Incoming<ListSegments>): Promise<SegmentPage> {
    return this.service.list(caller.projectId, body);
  }

  @Handles(segments.update)
  update(call: Incoming<UpdateSegmentById>): Promise<Segment> {
    return this.service.update(call);
  }

  @Handles(segments.delete)
  delete(call: Incoming<SegmentId>): Promise<DeletedSegment> {
    return this.deletion.delete(call);
  }

  @Handles(segments.contacts)
  contacts({ caller, body }: Incoming<ListSegmentContacts>): Promise<ContactPage> {
    return this.members.contacts(caller.projectId, body);
  }

  @Handles(segments.addMembers)
  addMembers(call: Incoming<AddMembersById>): Promise<AddedMembers> {
    return this.members.add(call);
  }

  @Handles(segments.removeMembers)
  removeMembers(call: Incoming<RemoveMembersById>): Promise<RemovedMembers> {
    return this.members.remove(call);
  }

  @Handles(segments.preview)
  preview({ caller, body, deadline }: Incoming<PreviewSegment>): Promise<SegmentPreview> {
    return this.previews.preview(caller.projectId, body, deadline);
  }
}
