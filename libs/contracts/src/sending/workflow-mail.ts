import { query } from '../schema/contract.js';
import {
  Address,
  FreeMap,
  Id,
  ListOf,
  MailboxOf,
  Nullable,
  Optional,
  Text,
  Texts,
} from '../schema/fields.js';
import type { Mailbox } from '../schema/texts/address.js';

const maxRenderedTexts = 64;
const maxText = 65_536;
/** A field of a contact is as deep as it may be, inside of the contact, inside of the variables; answers of webhooks may be deeper. */
const variablesOfWorkflow = { max: 256 * 1024, depth: 16 };

class LiquidText {
  @Text(0, maxText) text: string;
}

class LiquidTexts {
  @ListOf(() => LiquidText, 0, 2_000) texts: LiquidText[];
  @FreeMap(variablesOfWorkflow) variables: Record<string, unknown>;
}

export class RenderTexts {
  @ListOf(() => LiquidTexts, 1, maxRenderedTexts) items: LiquidTexts[];
}

/** The texts in the order of the request; or why one of them could not be rendered. */
class RenderedItem {
  @ListOf(() => LiquidText, 0, 2_000) texts: LiquidText[];
  @Text(1, 1_000) @Nullable() error: string | null;
}

export class RenderedTexts {
  @ListOf(() => RenderedItem, 1, maxRenderedTexts) items: RenderedItem[];
}

class ContentOfStep {
  @Id() @Optional() template?: string;
  @Text(1, 998) @Optional() subject?: string;
  @Text(1, 1_000_000) @Optional() body?: string;
  @MailboxOf() @Optional() from?: Mailbox;
}

/** What a rehearsed step would send; its contact need not exist. Variables are those of the contact, too. */
export class TryWorkflowMail extends ContentOfStep {
  @FreeMap(variablesOfWorkflow) variables: Record<string, unknown>;
}

/** Of a step: its mail, or texts of its own. */
export class ContentToAnalyse extends ContentOfStep {
  @ListOf(() => LiquidText, 0, 2_000) @Optional() texts?: LiquidText[];
}

export class UsedVariables {
  /** Paths, each a JSON array of names. What is below a path is used as a whole. */
  @Texts(0, 20_000, 4_000) paths: string[];
}

export class TriedWorkflowMail {
  @Address() from: string;
  @Text(0, 998) subject: string;
  @Text(0, 2 * 1024 * 1024) html: string;
  @Text(0, 2 * 1024 * 1024) text: string;
}

export const workflowMail = {
  /** The variables that the Liquid of a step refers to, also in its template and snippets. */
  uses: query('sending.workflowMail.uses', ContentToAnalyse, UsedVariables),
  /** Text in webhooks and addresses: Liquid without escaping. */
  texts: query('sending.workflowMail.texts', RenderTexts, RenderedTexts),
  /** Renders and sends nothing. Errors: those of `sending.emails.accept`, and `validation_error` where it cannot be rendered. */
  tryOut: query('sending.workflowMail.tryOut', TryWorkflowMail, TriedWorkflowMail),
};
