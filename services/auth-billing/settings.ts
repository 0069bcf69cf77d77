/** Defines the settings of auth-billing. */
import { connectionSettings, databaseSettings, secretsSettings } from '@tidemark/config/connections'
import { readSettings, SettingsError } from '@tidemark/config/settings'
import { type Static, Type } from 'typebox'
import { mail, mailFaults, mailsLeave } from './settings-mail.ts'
import { isRealKey, paymentFaults, payments } from './settings-payments.ts'
import { signup } from './settings-signup.ts'

export const Settings = Type.Object({
  ...connectionSettings,
  ...databaseSettings,
  ...secretsSettings,
  ...mail,
  ...signup,
  ...payments,
})
export type Settings = Static<typeof Settings>

/** Returns the settings. Throws SettingsError, also for settings that are valid alone and invalid together. */
export function settingsIn(env: NodeJS.ProcessEnv): Settings {
  const settings = readSettings(Settings, env)
  const faults = [...mailFaults(settings), ...paymentFaults(settings), ...unmailedFaults(settings)]
  if (faults.length > 0) throw new SettingsError(faults)
  return settings
}

/** Reports payments without mail, because a paid key is delivered by mail only. */
function unmailedFaults(settings: Settings): string[] {
  return isRealKey(settings.STRIPE_KEY) && mailsLeave(settings) === 'wait'
    ? ['SMTP_URL and MAIL_OUTBOX are missing (STRIPE_KEY requires one of them, because keys are mailed)']
    : []
}
