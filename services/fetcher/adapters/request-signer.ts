/** Creates the signer of requests from the settings. Without a key no request is signed. */
import { SettingsError } from '@tidemark/config/settings'
import { directoryOrigin, signingFaults } from '@tidemark/http-signatures/settings'
import { readSigningKey } from '@tidemark/http-signatures/signing-key'
import { createRequestSigner, type SignRequest } from '@tidemark/http-signatures/web-bot-auth'
import type { Settings } from '../settings.ts'

/**
 * Returns a function that signs, or null.
 * @throws SettingsError if the directory has no public address, or requests would imitate browsers
 */
export function requestSigner(settings: Settings): SignRequest | null {
  if (settings.BOT_KEY === '') return null
  const faults = signingFaults(settings)
  if (settings.USER_AGENT_MODE !== 'honest')
    faults.push('USER_AGENT_MODE must be honest: requests that imitate browsers are not signed with BOT_KEY')
  const directory = directoryOrigin(settings)
  if (faults.length > 0 || directory === null) throw new SettingsError(faults)
  const key = readSigningKey(settings.BOT_KEY)
  return createRequestSigner({ key, directory, form: settings.BOT_AGENT_FORM, now: Date.now })
}
