/** Caches keys and follows the progress of the read model. A change of accounts or keys clears the cache. */
import type { Bus } from '@tidemark/bus/connection'
import { onNotification } from '@tidemark/bus/requests/notifications'
import { Projected } from '@tidemark/contracts/notifications'
import { notifications } from '@tidemark/contracts/subjects'
import { cacheKeys } from './access/adapters/key-cache.ts'
import { openKeyUses } from './access/adapters/key-uses.ts'
import { listenForKeysChanged, lookUpKey } from './access/adapters/keys.ts'
import { readModelClock } from './read-model/adapters/projected.ts'
import type { ServerDependencies } from './server-dependencies.ts'

type Started = { report: ServerDependencies['report']; started: AsyncDisposableStack }

/** @param usesEveryMs milliseconds between two reports of the keys that were used */
export function followReadModel(
  { report, started }: Started,
  bus: Bus,
  pool: Parameters<typeof lookUpKey>[0],
  usesEveryMs: number,
): Pick<ServerDependencies, 'keys' | 'clock'> {
  const keys = cacheKeys(lookUpKey(pool, bus))
  const clock = readModelClock()
  /** Calls back after each commit of a projection. */
  const onCommitted = (projection: string, take: (projected: Projected) => void) =>
    started.use(onNotification(bus, notifications.projected(projection), Projected, take, report))
  for (const projection of ['runs', 'audit']) onCommitted(projection, clock.note)
  onCommitted('accounts', projected => {
    keys.forget()
    clock.note(projected)
  })
  started.use(listenForKeysChanged(bus, keys.forget))
  const keyUses = started.use(openKeyUses(bus, usesEveryMs))
  return {
    keys: { findKey: keys.findKey, recordKeyUse: keyUses.record, latestKeyUse: keyUses.latest },
    clock,
  }
}
