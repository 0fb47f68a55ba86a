import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';
import { InvitationsRepository } from '../members/invitations.repository.js';
import { networkOf } from '../identity/failed-credentials.js';
import { SignInLimits } from './sign-in-limits/sign-in-limits.js';

/** Counted together with the sign-ups that the library refuses. */
const path = '/sign-up/email';
/** As the library limits its own sign-up. */
const rule = { window: 10, max: 3 };
const refusals = {
  invite: {
    code: 'SIGN_UP_NEEDS_INVITATION',
    message:
      'Only addresses with an open invitation can sign up. Ask a member of the project to invite this address.',
  },
  off: {
    code: 'SIGN_UP_IS_OFF',
    message: 'Nobody can sign up here. Ask the operator of this installation for an account.',
  },
} as const;

export const signUpRefusals: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(refusals).map(({ code, message }) => [code, message]),
);

/** Decides who may sign up, without regard to which accounts exist. */
@Injectable()
export class SignUps {
  constructor(
    private readonly config: GatewayConfig,
    private readonly invitations: InvitationsRepository,
    private readonly attempts: SignInLimits,
  ) {}

  /** In the format of the library; null for an address that may sign up. */
  async refusal(email: unknown, clientAddress: string): Promise<Response | null> {
    const { signUp } = this.config;
    if (signUp === 'open' || (signUp === 'invite' && (await this.isInvited(email)))) return null;
    const { allowed, retryAfter } = await this.attempts.take(`${networkOf(clientAddress)}|${path}`, rule);
    if (allowed) return Response.json(refusals[signUp], { status: 403 });
    return Response.json(
      { message: this.attempts.refusalText(path, retryAfter!) },
      { status: 429, headers: { 'x-retry-after': String(retryAfter) } },
    );
  }

  private isInvited(email: unknown): Promise<boolean> | false {
    return typeof email === 'string' && this.invitations.isAnyOpenFor(email.toLowerCase());
  }
}
