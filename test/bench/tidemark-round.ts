/**
 * One round of Tidemark: this checkout, started like `npm start` in a new folder with its own servers. Only the timed
 * part of the work is measured.
 */
import { type System, startSystem } from '../e2e/system.ts'
import type { Peer, Round, Site } from './round.ts'
import { startWatch, type Used } from './watch.ts'

/** The running system of a round, and the clock for the measured part of its work. */
type AtWork = {
  system: System
  /** Key of a project without caps. */
  key: string
  site: Site
  concurrency: number
  signal: AbortSignal
  timed<T>(part: () => Promise<T>): Promise<T>
}

/** Throws if a part of the result is missing or wrong. */
export type Work = (at: AtWork) => Promise<Pick<Round, 'pages' | 'bytes' | 'waits'>>

/** @param env settings that differ from the defaults */
export async function tidemarkRound(
  work: Work,
  peer: Peer,
  env: NodeJS.ProcessEnv,
  { site, concurrency, signal }: Pick<AtWork, 'site' | 'concurrency' | 'signal'>,
): Promise<Round> {
  const authority = site.authority === null ? {} : { NODE_EXTRA_CA_CERTS: site.authority }
  const system = await startSystem({ ...authority, ...env })
  try {
    const key = await system.createProject('bench', '--tier', 'studio', '--unlimited')
    const { pid, postgres, nats, redis, processes } = await system.runFile()
    const nodes = [pid, ...processes.map(({ pid }) => pid)]
    const servers = [postgres, nats, redis].flatMap(({ pid }) => pid ?? [])
    let used: (Used & Pick<Round, 'requests'>) | undefined
    const timed = async <T>(part: () => Promise<T>): Promise<T> => {
      const before = await site.requests()
      const stop = startWatch({ roots: [...nodes, ...servers], nodes, aside: [site.pid] })
      const result = await part()
      used = { ...stop(), requests: (await site.requests()) - before }
      return result
    }
    const done = await work({ system, key, site, concurrency, signal, timed })
    if (used === undefined) throw new Error('The work has no timed part.')
    return { peer, ...done, ...used }
  } finally {
    await system.stop()
  }
}
