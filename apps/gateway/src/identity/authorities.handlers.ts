import { Controller } from '@nestjs/common';
import { authorities, type GetStandings, type Standings } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { AuthoritiesService } from './authorities.service.js';

@Controller()
export class AuthoritiesHandlers {
  constructor(private readonly service: AuthoritiesService) {}

  @Handles(authorities.standings)
  standings({ caller, body }: Incoming<GetStandings>): Promise<Standings> {
    return this.service.standings(caller.projectId, body.authorities);
  }
}
