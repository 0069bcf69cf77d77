/** Plausible mistakes of the fetcher, planted in its Redis and its bus. */
import type { Bus } from '@tidemark/bus/connection'
import { notifications } from '@tidemark/contracts/subjects'
import type { Seams } from './processes.ts'
import type { SimulatedRedis } from './redis/client.scene.ts'

/** Replaces one command or script. */
const replaced = (name: string, reply: (...args: unknown[]) => Promise<unknown>): Seams => ({
  redis: usual =>
    new Proxy(usual, {
      get: (target, key) => (key === name ? reply : Reflect.get(target, key)),
    }) as SimulatedRedis,
})

const withoutEnds: Seams = {
  fetcherBus: bus => {
    const subscribe: Bus['nc']['subscribe'] = (subject, options) =>
      bus.nc.subscribe(subject === notifications.runEnded ? 'nothing' : subject, options)
    return { ...bus, nc: { ...bus.nc, subscribe } as Bus['nc'] }
  },
}

/** Planted faults as in `planted.ts`. */
export const plantedInFetcher: Readonly<Record<string, { seeds: number; plant: () => Seams }>> = {
  'a host clock that is only local although Redis is there': {
    seeds: 4,
    plant: () => replaced('takeSlot', () => Promise.reject(new Error('not asked'))),
  },
  'a back-off that the other fetchers do not learn': {
    seeds: 8,
    plant: () => replaced('setBackOff', async () => null),
  },
  'a concurrency that each fetcher takes whole': {
    seeds: 25,
    plant: () => replaced('takePart', async (_key, _me, concurrency) => concurrency),
  },
  'an end of a run that the fetchers do not receive': { seeds: 30, plant: () => withoutEnds },
}
