/** Opens the storage of bodies outside of Postgres, as the settings name it. The gateway only reads it. */
import { SettingsError } from '@tidemark/config/settings'
import { openBucket } from '@tidemark/content/s3'
import { bodyFaults, bucketPlace } from '@tidemark/content/settings'
import type { Elsewhere } from '@tidemark/content/store'
import type { Static } from 'typebox'
import type { Settings } from '../../settings.ts'

/** Returns undefined if bodies are only in Postgres. Throws SettingsError with everything that is missing. */
export function openElsewhere(settings: Static<typeof Settings>): Elsewhere | undefined {
  const faults = bodyFaults(settings)
  if (faults.length > 0) throw new SettingsError(faults)
  const place = bucketPlace(settings)
  return place === null ? undefined : { objects: openBucket(place) }
}
