/** Settings of the services that delete the results of projects by age. */
import { type Static, Type } from 'typebox'

const retention = (tier: string) =>
  Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 36_500,
    description: `Days after its end at which a crawl, a batch of scans or the stored page of a scan of a project of tier ${tier} is deleted, except its bill. 0: it stays until its owner deletes it, and the page of a scan for 365 days.`,
  })

export const retentionSettings = {
  RETENTION_DAYS_FREE: retention('free'),
  RETENTION_DAYS_PRO: retention('pro'),
  RETENTION_DAYS_AGENCY: retention('agency'),
  RETENTION_DAYS_STUDIO: retention('studio'),
}

const Retentions = Type.Object(retentionSettings)

/** Returns the retention by tier, in days; null: forever. */
export const retentionOf = (settings: Static<typeof Retentions>) => ({
  free: settings.RETENTION_DAYS_FREE || null,
  pro: settings.RETENTION_DAYS_PRO || null,
  agency: settings.RETENTION_DAYS_AGENCY || null,
  studio: settings.RETENTION_DAYS_STUDIO || null,
})
