/** Who may be told now: within the share of the project, of the host, and of what its endpoint's failures leave it. */
import { type Breakers, openBreakers } from './breakers.ts'
import { type HostTurns, hostTurns } from './host-turns.ts'
import { type TenantShares, tenantShares } from './tenant-shares.ts'

type Due = { projectId: number; host: string; isRetry: boolean }

export type Gate = {
  /** Room for one attempt, given back when disposed; null when it must be put off. */
  enter(due: Due): Promise<Disposable | null>
  /** What an attempt says of its endpoint. */
  note: Breakers['note']
  /** Hosts that are asked one at a time. */
  broken: Breakers['broken']
}

type Limits = {
  /** New deliveries to one host at once, and of one project. */
  perHost: number
  perProject: number
  /** How long one waits for a place of its host. */
  patienceMs: number
  /** In a row: so many break an endpoint. */
  failures: number
}

export function openGate({ perHost, perProject, patienceMs, failures }: Limits): Gate {
  const tenants: TenantShares = tenantShares(perProject)
  const turns: HostTurns = hostTurns(perHost, patienceMs)
  const breakers = openBreakers(failures)

  return {
    async enter({ projectId, host, isRetry }) {
      using room = new DisposableStack()
      const share = tenants.take(projectId, { isRetry })
      if (share === null) return null
      room.use(share)
      const trial = isRetry ? null : breakers.enter(host)
      if (trial === null && !isRetry) return null
      room.use(trial)
      const turn = await turns.take(host, { isRetry })
      if (turn === null) return null
      room.use(turn)
      return room.move()
    },
    note: breakers.note,
    broken: breakers.broken,
  }
}
