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
import { Answers, type Incoming } from '@posthorn/messaging';
import { SegmentDeletionService } from './segment-deletion.service.js';
import { SegmentMembersService } from './segment-members.service.js';
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

  @Answers(segments.create)
  create(call: Incoming<CreateSegment>): Promise<Segment> {
    return this.service.create(call);
  }

  @Answers(segments.get)
  get({ caller, body }: Incoming<SegmentId>): Promise<Segment> {
    return this.service.get(caller.projectId, body.id);
  }

  @Answers(segments.list)
  list({ caller, body }: Incoming<ListSegments>): Promise<SegmentPage> {
    return this.service.list(caller.projectId, body);
  }

  @Answers(segments.update)
  update(call: Incoming<UpdateSegmentById>): Promise<Segment> {
    return this.service.update(call);
  }

  @Answers(segments.delete)
  delete(call: Incoming<SegmentId>): Promise<DeletedSegment> {
    return this.deletion.delete(call);
  }

  @Answers(segments.contacts)
  contacts({ caller, body }: Incoming<ListSegmentContacts>): Promise<ContactPage> {
    return this.members.contacts(caller.projectId, body);
  }

  @Answers(segments.addMembers)
  addMembers(call: Incoming<AddMembersById>): Promise<AddedMembers> {
    return this.members.add(call);
  }

  @Answers(segments.removeMembers)
  removeMembers(call: Incoming<RemoveMembersById>): Promise<RemovedMembers> {
    return this.members.remove(call);
  }

  @Answers(segments.preview)
  preview({ caller, body }: Incoming<PreviewSegment>): Promise<SegmentPreview> {
    return this.previews.preview(caller.projectId, body);
  }
}
