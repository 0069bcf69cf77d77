/** Where bodies lie besides Postgres, and whether new ones are put there, as the settings say it. */
import { SettingsError } from '@tidemark/config/settings'
import { openBucket } from '@tidemark/content/s3'
import { bodyFaults, bucketPlace } from '@tidemark/content/settings'
import type { Elsewhere } from '@tidemark/content/store'
import type { Database } from '@tidemark/db/database'
import type { Settings } from '../settings.ts'

/** Undefined where they lie in Postgres alone. Throws SettingsError with all that is missing. */
export function openElsewhere(
  settings: Settings,
  transaction: Database['transaction'],
): Elsewhere | undefined {
  const faults = bodyFaults(settings)
  if (faults.length > 0) throw new SettingsError(faults)
  const place = bucketPlace(settings)
  if (place === null) return undefined
  return { objects: openBucket(place), ...(settings.BODIES === 's3' && { transaction }) }
}
