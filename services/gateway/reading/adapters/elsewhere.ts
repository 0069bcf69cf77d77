/** Where bodies lie besides Postgres, as the settings say it: here they are only read. */
import { SettingsError } from '@tidemark/config/settings'
import { openBucket } from '@tidemark/content/s3'
import { bodyFaults, bucketPlace } from '@tidemark/content/settings'
import type { Elsewhere } from '@tidemark/content/store'
import type { Static } from 'typebox'
import type { Settings } from '../../settings.ts'

/** Undefined where they lie in Postgres alone. Throws SettingsError with all that is missing. */
export function openElsewhere(settings: Static<typeof Settings>): Elsewhere | undefined {
  const faults = bodyFaults(settings)
  if (faults.length > 0) throw new SettingsError(faults)
  const place = bucketPlace(settings)
  return place === null ? undefined : { objects: openBucket(place) }
}
