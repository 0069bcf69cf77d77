/** One load: every kind of request at once on a number of connections, as fast as the system responds. */
import autocannon from 'autocannon'
import { connectionsOf, type LoadRequest, loadRequests, oneOf, rateRefused, type Tenant } from './requests.ts'

export type Pressed = {
  request: string
  connections: number
  answers: number
  perSecond: number
  p50: number
  p99: number
  max: number
  /** Number of responses by status. */
  statuses: Record<string, number>
  /** Broken promises with their numbers. */
  faults: Record<string, number>
}

export type Load = {
  base: string
  siteUrl: string
  tenants: readonly Tenant[]
  connections: number
  seconds: number
}

/** Time limit of a request: longer than the longest promised response time. */
const patienceSeconds = 60

export const press = (load: Load): Promise<Pressed[]> =>
  Promise.all(loadRequests.map(request => pressOne(request, load)))

async function pressOne(request: LoadRequest, load: Load): Promise<Pressed> {
  const connections = connectionsOf(request, load.connections)
  const statuses: Record<string, number> = {}
  const faults: Record<string, number> = {}
  const count = (counts: Record<string, number>, what: string) => (counts[what] = (counts[what] ?? 0) + 1)
  const result = await autocannon({
    url: load.base,
    connections,
    duration: load.seconds,
    timeout: patienceSeconds,
    requests: [
      {
        setupRequest: base => {
          const tenant = oneOf(load.tenants)
          const { method, path, body } = request.requestFor(tenant, load.siteUrl)
          const type = body && { 'content-type': 'application/json' }
          const headers = { ...base.headers, ...type, authorization: `Bearer ${tenant.key}` }
          return { ...base, method, path, headers, ...(body && { body: JSON.stringify(body) }) }
        },
        onResponse: (status, _body, _context, headers) => {
          count(statuses, String(status))
          const fault = faultOf(request, status, headers ?? {})
          if (fault !== null) count(faults, fault)
        },
      },
    ],
  })
  if (result.timeouts > 0) faults[`no answer within ${patienceSeconds} s`] = result.timeouts
  const broken = result.errors - result.timeouts
  if (broken > 0) faults['connection broke'] = broken
  const { p50, p99, max } = result.latency
  const answers = Object.values(statuses).reduce((sum, n) => sum + n, 0)
  const perSecond = Math.round(answers / result.duration)
  return { request: request.name, connections, answers, perSecond, p50, p99, max, statuses, faults }
}

/** Returns the fault of a response, or null if it is as promised. */
function faultOf({ mayRefuse }: LoadRequest, status: number, headers: object): string | null {
  if (status < 400 || status === rateRefused || mayRefuse.includes(status)) return null
  if (status !== 503) return `status ${status}`
  const names = Object.keys(headers).map(name => name.toLowerCase())
  return names.includes('retry-after') ? null : '503 without Retry-After'
}
