/**
 * Admits attempts within the slots of their project and host, and within the breaker of their endpoint. Retries have a
 * promised time, so they have slots of their own, as many as new deliveries.
 */
import { type Breakers, openBreakers } from './breakers.ts'
import { hostSlots } from './host-slots.ts'
import { tenantShares } from './tenant-shares.ts'

type Due = { projectId: number; host: string; isRetry: boolean }

export type Gate = {
  /** Acquires the slots for one attempt, until they are disposed; null if the attempt must be postponed. */
  enter(due: Due): Promise<Disposable | null>
  /** Records the result of an attempt at its endpoint. */
  record: Breakers['record']
  /** Returns the endpoints that get one new delivery at a time. */
  broken: Breakers['broken']
}

type Limits = {
  /**
   * Maximum numbers of concurrent new deliveries to one host and of one project. Retries have the same limits, counted
   * separately.
   */
  perHost: number
  perProject: number
  /** Maximum wait for a slot of the host. */
  patienceMs: number
  /** Number of consecutive failures that break an endpoint. */
  failures: number
}

export function openGate({ perHost, perProject, patienceMs, failures }: Limits): Gate {
  const open = () => ({ tenants: tenantShares(perProject), hosts: hostSlots(perHost, patienceMs) })
  const [ofNew, ofRetries] = [open(), open()]
  const breakers = openBreakers(failures)

  return {
    async enter({ projectId, host, isRetry }) {
      using slots = new DisposableStack()
      const { tenants, hosts } = isRetry ? ofRetries : ofNew
      const share = tenants.take(projectId)
      if (share === null) return null
      slots.use(share)
      const trial = isRetry ? null : breakers.enter({ projectId, host })
      if (trial === null && !isRetry) return null
      slots.use(trial)
      const slot = await hosts.take(host)
      if (slot === null) return null
      slots.use(slot)
      return slots.move()
    },
    record: breakers.record,
    broken: breakers.broken,
  }
}
