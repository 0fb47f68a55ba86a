import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { PagesModule } from '../../pages/pages.module.js';
import { PeopleModule } from '../people.module.js';
import { AccountInvitations } from './account-invitations.read-model.js';
import { AccountProjects } from './account-projects.read-model.js';
import { AccountPages } from './account.pages.js';
import { PasswordPages } from './password.pages.js';
import { SecondFactorPages } from './second-factor.pages.js';
import { SignInPages } from './sign-in.pages.js';
import { SignUpPages } from './sign-up.pages.js';

@Module({
  imports: [PeopleModule, PagesModule],
  providers: [
    ...onDatabase([AccountInvitations, AccountProjects]),
    SignInPages,
    SignUpPages,
    PasswordPages,
    AccountPages,
    SecondFactorPages,
  ],
})
export class PeoplePagesModule {}
