/** Crawls the zoo as projects would that always have four runs each, and says where an end is not the expected one. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { Count, Site } from '@tidemark/testing/zoo/site'
import type { Stall } from './hostile-zoo-watch.ts'
import type { System } from './system.ts'

export type Visited = { site: Site; run: RunView | null; ms: number; answer: string }

const atOnceOfProject = 4
const ended = ['done', 'failed', 'cancelled']
const wanted = { delay_ms: 0 }

/** The patient ones go first, so that nobody waits for them at the end. */
export async function crawlAll(
  system: System,
  keys: string[],
  sites: Site[],
  seeds: Record<string, string>,
): Promise<Visited[]> {
  const line = [...sites].sort((a, b) => patience(b) - patience(a))
  const visited: Visited[] = []
  const walk = async (key: string) => {
    for (let site = line.shift(); site; site = line.shift()) {
      visited.push(await crawlOne(system, key, site, seeds[site.name] ?? ''))
    }
  }
  await Promise.all(keys.flatMap(key => Array.from({ length: atOnceOfProject }, () => walk(key))))
  return visited
}

const patience = ({ expect, group }: Site) => expect.settledWithinMs + Number(group === 'slowness')

async function crawlOne(system: System, key: string, site: Site, url: string): Promise<Visited> {
  const from = performance.now()
  const begun = await begin(system, key, { ...wanted, ...site.crawl, url })
  if (begun.status !== 202)
    return { site, run: null, ms: 0, answer: `${begun.status} ${JSON.stringify(begun.body)}` }
  const place = `/v1/crawls/${begun.body.id}`
  for (;;) {
    const { body: run } = await system.call(key, 'GET', place)
    const ms = Math.round(performance.now() - from)
    if (ended.includes(run.status)) return { site, run, ms, answer: '' }
    if (ms > site.expect.settledWithinMs) {
      await system.call(key, 'DELETE', place)
      return { site, run, ms, answer: '' }
    }
    await sleep(100)
  }
}

/** The end of a run makes room for the next a moment after it can be seen. */
async function begin(system: System, key: string, request: object) {
  for (let tries = 0; ; tries++) {
    const answer = await system.call(key, 'POST', '/v1/crawls', request)
    if (answer.status !== 429 || tries === 50) return answer
    await sleep(100)
  }
}

/** What is not as expected, in words; empty when all is. */
export function faultsOf({ site, run, ms, answer }: Visited): string[] {
  const { status, stopReason, pages, errors, errorMessage, settledWithinMs } = site.expect
  if (run === null) return [`was not begun: ${answer}`]
  if (!ended.includes(run.status)) return [`has not ended in ${ms} ms, with ${run.page_count} pages`]
  const said = run.error_message
  const isSaid = errorMessage === null ? said === null : said !== null && errorMessage.test(said)
  return [
    ...(run.status === status ? [] : [`status ${run.status}, not ${status}`]),
    ...(stopReason === undefined || run.stop_reason === stopReason
      ? []
      : [`stop_reason ${run.stop_reason}, not ${stopReason}`]),
    ...(isWithin(run.page_count, pages) ? [] : [`page_count ${run.page_count}, not ${inWords(pages)}`]),
    ...(errors === undefined || isWithin(run.error_count, errors)
      ? []
      : [`error_count ${run.error_count}, not ${inWords(errors)}`]),
    ...(isSaid ? [] : [`error_message ${said}, not ${errorMessage}`]),
    ...(ms <= settledWithinMs ? [] : [`ended after ${ms} ms, not within ${settledWithinMs}`]),
  ]
}

/** A stall in words, with the sites that were being crawled then. */
export function describeStall({ instance, ms, cpu_ms, time }: Stall, visited: Visited[]): string {
  const noticed = Date.parse(time)
  const began = noticed - ms
  const suspects = visited.filter(({ run }) => {
    const [from, to] = [Date.parse(run?.started_at ?? ''), Date.parse(run?.finished_at ?? '')]
    return from <= noticed && to >= began
  })
  return `${instance} for ${ms} ms, ${cpu_ms} of them computing, during ${suspects.map(({ site }) => site.name).join(', ')}`
}

const isWithin = (count: number, wanted: Count) =>
  typeof wanted === 'number' ? count === wanted : count >= wanted.atLeast && count <= wanted.atMost

const inWords = (count: Count) =>
  typeof count === 'number' ? String(count) : `${count.atLeast} to ${count.atMost}`
