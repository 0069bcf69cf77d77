/** Reads the operator's overview. It is not part of the public API, so the client of the project does not have it. */
import { errorOf } from '@tidemark/sdk'
import { signedOut } from './session.ts'

/** A part of the overview. `missing` has the services without a response, whose data is not in it. */
export type Part<Item> = { available: boolean; missing: string[]; items: Item[] }

type Health = 'pass' | 'warn' | 'fail'

export type ServiceState = {
  service: string
  status: Health | 'missing'
  instances: { instance: string; status: Health | 'silent'; cause: string | null; age_seconds: number }[]
}
export type StreamState = { stream: string; messages: number; bytes: number; max_bytes: number | null }
export type QueueState = {
  service: string | null
  stream: string
  consumer: string
  waiting: number
  in_flight: number
  redelivered: number
  oldest_seconds: number
}
export type ProjectionState = {
  service: string
  stream: string
  projection: string
  messages: number
  seconds: number
}
export type DeadLetterState = {
  service: string | null
  stream: string
  consumer: string
  letters: number
  newest: { id: number; at: string; reason: string } | null
  show: string | null
  repair: string | null
}
export type HostState = { origin: string; paused_until: string; is_paused: boolean; pauses: number }
/** Numbers of a project. Null: the number is unknown. */
export type ProjectState = {
  project_id: number
  name: string | null
  tier: string | null
  queued: number | null
  running: number | null
  started: number | null
  pages: number | null
  cloud_pages: number | null
  cloud_cost_usd: number | null
}
export type CostState = {
  project_id: number
  name: string | null
  cloud_cost_usd: number
  cloud_pages: number
  model_calls: number
}
type Sums = { pages: number; cloud_pages: number; cloud_cost_usd: number; model_calls: number } | null

export type Overview = {
  generated_at: string
  day: string
  traces_url: string | null
  services: Part<ServiceState>
  streams: Part<StreamState>
  queues: Part<QueueState>
  projections: Part<ProjectionState>
  dead_letters: Part<DeadLetterState> & { total: number | null }
  hosts: Part<HostState> & { total: number | null }
  projects: Part<ProjectState> & { total: number | null }
  costs: Part<CostState> & { today: Sums; month: Sums }
}

/** Reads the overview. Throws `ApiError`. */
export async function readOverview(signal: AbortSignal): Promise<Overview> {
  const response = await fetch('/console/api/v1/operator/overview', { signal })
  if (response.ok) return response.json()
  if (response.status === 401) signedOut('The session has ended, or the key has changed. Sign in again.')
  throw errorOf(response, await response.text())
}
