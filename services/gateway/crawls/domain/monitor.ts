/** A new monitor in its response. */
import type { MonitorAccepted, MonitorView } from '@tidemark/contracts/http/crons'

export const monitorAccepted = ({ id, schedule, next_fires_at, url }: MonitorView): MonitorAccepted => ({
  monitor_id: id,
  schedule,
  next_fires_at,
  url,
  info: `A crawl starts on this schedule, in UTC. See it in GET /v1/crons, change or delete it at /v1/crons/${id}.`,
})
