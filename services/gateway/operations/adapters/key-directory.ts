/** Creates the directory of the crawler's keys from the settings. */
import { SettingsError } from '@tidemark/config/settings'
import { directoryOrigin, type SigningSettings, signingFaults } from '@tidemark/http-signatures/settings'
import { readSigningKey } from '@tidemark/http-signatures/signing-key'
import { createDirectory, type Directory } from '@tidemark/http-signatures/web-bot-auth'

/**
 * Returns a function that returns the signed directory, or null without a key.
 * @throws SettingsError if the directory has no public address, or the second key equals the first one
 */
export function openKeyDirectory(
  settings: SigningSettings & { BOT_KEY_SECOND: string },
): (() => Directory) | null {
  const { BOT_KEY, BOT_KEY_SECOND } = settings
  const keys = [BOT_KEY, BOT_KEY_SECOND].filter(Boolean).map(readSigningKey)
  const faults = signingFaults(settings)
  if (BOT_KEY === '' && BOT_KEY_SECOND !== '')
    faults.push('BOT_KEY is missing: BOT_KEY_SECOND signs no requests')
  if (new Set(keys.map(({ keyid }) => keyid)).size < keys.length)
    faults.push('BOT_KEY_SECOND must be another key than BOT_KEY')
  if (faults.length > 0) throw new SettingsError(faults)
  const origin = directoryOrigin(settings)
  return origin === null || BOT_KEY === '' ? null : createDirectory(keys, origin, Date.now)
}
