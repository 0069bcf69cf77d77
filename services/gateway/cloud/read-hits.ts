/** The pages that a search has found, each with an end of its own: of one that cannot be had, what the engine says. */

import { defaultDelayMs } from '@tidemark/contracts/delays'
import type { SearchHit } from '@tidemark/contracts/rpc/search'
import { hostOf } from '@tidemark/url/host'
import { problemOf } from '../http/plugins/problem-of.ts'
import { inLanes } from '../reading/domain/host-lanes.ts'
import { costOf } from '../reading/domain/price-of.ts'
import { judgeSeed } from '../reading/judge-seed.ts'
import { newWork } from '../reading/read-one.ts'
import { GatheredItems } from './domain/gathered-items.ts'
import { textIn, wantedIn } from './domain/return-format.ts'
import type { CloudPorts } from './ports.ts'

const atOnce = 8
const perHost = 4
/** For one page, and for beginning any. */
const maxMs = 30_000
const beginMs = 45_000

type How = { projectId: number; format: Parameters<typeof textIn>[0]; gone: AbortSignal }
export type ReadHits = { results: GatheredItems; costUsd: number; warnings: string[] }

/** Never throws for a page. The warnings stand in the order of the results. */
export async function readHits(
  ports: CloudPorts,
  hits: readonly SearchHit[],
  { projectId, format, gone }: How,
): Promise<ReadHits> {
  const results = new GatheredItems()
  const faults = new Map<number, string>()
  const work = newWork(atOnce)
  const signal = AbortSignal.any([gone, AbortSignal.timeout(beginMs)])
  gone.addEventListener('abort', () => ports.contents.drop(work.workId), { once: true })
  let costUsd = 0
  const asked = hits.map((hit, index) => ({ ...hit, index, host: hostOf(hit.url) }))
  await inLanes(asked, { concurrency: atOnce, perHost, signal }, async ({ url, title, index }) => {
    const fault = await read(url, title, index).catch(reasonOf)
    if (fault !== null) faults.set(index, fault)
  })
  const told = new Set(asked.map(({ index }) => index).filter(index => !results.has(index)))
  for (const { url, title, snippet, index } of asked) {
    if (told.has(index)) results.put([index], { url, title, content: snippet ?? '' })
  }
  const warnings = [...told].map(index => `results[${index}]: ${says(faults.get(index) ?? 'timeout')}`)
  return { results, costUsd, warnings }

  /** Why it could not be had; null where it was. */
  async function read(url: string, title: string, index: number): Promise<string | null> {
    await judgeSeed(ports, url)
    const got = await ports.cloud.getPage({
      ...work,
      projectId,
      url: new URL(url).href,
      means: { is: 'auto', from: 'http', country: null },
      waitFor: 'load',
      picture: false,
      wanted: wantedIn(format),
      timeoutMs: maxMs,
      delayMs: defaultDelayMs,
      respectRobots: false,
    })
    if (got.content.challenge !== null) return 'blocked'
    const hasRoom = results.put([index], { url, title, content: textIn(format, got.content) })
    costUsd += costOf(got, ports.proxyPrices)
    return hasRoom ? null : 'too_large'
  }
}

const says = (reason: string) =>
  `its page could not be had (${reason}); content is what the engine says of it`

function reasonOf(error: unknown): string {
  const { code, reason = code } = problemOf(error)
  return reason
}
