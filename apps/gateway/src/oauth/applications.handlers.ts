import { Controller } from '@nestjs/common';
import {
  applications,
  type ApplicationRef,
  type RegisterApplication,
  type RegisteredApplication,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ApplicationsService } from './applications.service.js';

@Controller()
export class ApplicationsHandlers {
  constructor(private readonly applications: ApplicationsService) {}

  @Handles(applications.register)
  register({ body }: Incoming<RegisterApplication>): Promise<RegisteredApplication> {
    return this.applications.register(body);
  }

  @Handles(applications.remove)
  remove({ body }: Incoming<ApplicationRef>): Promise<ApplicationRef> {
    return this.applications.remove(body.clientId);
  }
}
