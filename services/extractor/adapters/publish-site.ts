/** Appends the site's policy to the run's empty facet `site`. */
import type { Bus } from '@tidemark/bus/connection'
import type { RunSiteCommit, RunSiteEvent } from '@tidemark/contracts/run-site'
import { streams, subjects } from '@tidemark/contracts/subjects'
import { jetStreamEventStore } from '@tidemark/eventstore/jetstream'
import { Conflict } from '@tidemark/eventstore/store'
import type { SiteReading } from './site-readings.ts'

export function publishSiteBy(bus: Bus) {
  const store = jetStreamEventStore(bus, streams.runs)
  return async ({ runId, trace }: SiteReading, event: RunSiteEvent): Promise<void> => {
    const commit: RunSiteCommit = {
      at: new Date().toISOString(),
      ...(trace !== null && { trace }),
      events: [event],
    }
    try {
      await store.append(subjects.run(runId, 'site'), 0, commit)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
    }
  }
}
