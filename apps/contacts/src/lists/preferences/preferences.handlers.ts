import { Controller } from '@nestjs/common';
import {
  preferences,
  type ChangedPreference,
  type ChangePreference,
  type Preferences,
  type PreferencesOf,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { PreferencesService } from './preferences.service.js';

@Controller()
export class PreferencesHandlers {
  constructor(private readonly service: PreferencesService) {}

  @Handles(preferences.look)
  look({ caller, body }: Incoming<PreferencesOf>): Promise<Preferences> {
    return this.service.look(caller.projectId, body.email);
  }

  @Handles(preferences.change)
  change(call: Incoming<ChangePreference>): Promise<ChangedPreference> {
    return this.service.change(call);
  }
}
