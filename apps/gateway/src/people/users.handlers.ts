import { Controller } from '@nestjs/common';
import {
  users,
  type CreatedUser,
  type CreateUser,
  type KnownUser,
  type VerifyUser,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { UsersService } from './users.service.js';

@Controller()
export class UsersHandlers {
  constructor(private readonly users: UsersService) {}

  @Handles(users.verify)
  verify({ body }: Incoming<VerifyUser>): Promise<KnownUser> {
    return this.users.verify(body.email);
  }

  @Handles(users.create)
  create({ body }: Incoming<CreateUser>): Promise<CreatedUser> {
    return this.users.create(body);
  }
}
