/**
 * Measures whether tenants share a Tidemark equally: how much longer a small crawl takes beside another tenant's large
 * crawls, and how evenly tenants of the same size are served.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { System } from '../../e2e/system.ts'
import { jainIndex } from '../../load/jain.ts'
import { startWeb } from '../web.ts'

export type Crowd = {
  /** Runs of the large tenant, and URLs per run. */
  runs: number
  urls: number
  /** Pages of the small crawl, and how often it is timed, both alone and beside the large ones. */
  pages: number
  times: number
  delayMs: number
}
/** Medians in seconds. */
export type Beside = { alone: number; beside: number; ratio: number }

/** Times the small crawl alone, then beside the large crawls, which are cancelled at the end. */
export async function besideALargeTenant(system: System, crowd: Crowd): Promise<Beside> {
  const { runs, urls, pages, times, delayMs } = crowd
  const large = await startWeb({ seed: 1, hosts: runs, pages: runs * urls }, () => {})
  const small = await startWeb({ seed: 2, hosts: 1, pages }, () => {}, 40)
  try {
    const [many, few] = await Promise.all(
      ['many', 'few'].map(name => system.createProject(`${name}-${Date.now()}`, '--unlimited')),
    )
    if (many === undefined || few === undefined) throw new Error('there are no keys')
    const one = () => timed(() => system.crawl(few, requestFor(small.origins[0] ?? '', delayMs)))
    const alone = await repeated(times, one)
    const ids = await start(system, many, large.origins, delayMs)
    await sleep(3_000)
    const beside = await repeated(times, one)
    await cancel(system, many, ids)
    return { alone, beside, ratio: beside / alone }
  } finally {
    await Promise.all([large.close(), small.close()])
  }
}

/** Time to wait after the start of crawls, because new crawls know few URLs. */
const settlingMs = 5_000

export type Equals = { tenants: number; urls: number; seconds: number; delayMs: number }
export type Shares = { fetched: number[]; jain: number }

/** Lets every tenant crawl a site of its own. Counts the requests from 5 s after all crawls were accepted. */
export async function amongEquals(system: System, equals: Equals): Promise<Shares> {
  const { tenants, urls, seconds, delayMs } = equals
  const fetched = Array.from({ length: tenants }, () => 0)
  const web = await startWeb({ seed: 3, hosts: tenants, pages: tenants * urls }, ({ host }) => {
    fetched[host] = (fetched[host] ?? 0) + 1
  })
  try {
    const started: { key: string; ids: number[] }[] = []
    for (const origin of web.origins) {
      const key = await system.createProject(`equal-${started.length}-${Date.now()}`, '--unlimited')
      started.push({ key, ids: await start(system, key, [origin], delayMs) })
    }
    await sleep(settlingMs)
    fetched.fill(0)
    await sleep(seconds * 1000)
    const shares = [...fetched]
    for (const { key, ids } of started) await cancel(system, key, ids)
    return { fetched: shares, jain: jainIndex(shares) }
  } finally {
    await web.close()
  }
}

const requestFor = (origin: string, delay_ms: number) => ({
  url: `${origin}/`,
  delay_ms,
  depth: 50,
  max_pages: 100_000,
  trap_guards: false,
})

async function start(system: System, key: string, origins: string[], delayMs: number): Promise<number[]> {
  const ids: number[] = []
  for (const origin of origins) {
    const { status, body } = await system.call(key, 'POST', '/v1/crawls', requestFor(origin, delayMs))
    if (status !== 202) throw new Error(`POST /v1/crawls answered ${status}: ${JSON.stringify(body)}`)
    ids.push(body.id)
  }
  return ids
}

async function cancel(system: System, key: string, ids: number[]): Promise<void> {
  for (const id of ids) await system.call(key, 'POST', `/v1/crawls/${id}/cancel`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** Returns the median. */
async function repeated(times: number, work: () => Promise<number>): Promise<number> {
  const seconds: number[] = []
  while (seconds.length < times) seconds.push(await work())
  return seconds.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0
}
