/** Crawls the zoo with projects that always have four runs each, and reports unexpected results. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunView } from '@tidemark/contracts/http/crawls'
import type { Count, Site } from '@tidemark/testing/zoo/site'
import type { Stall } from './hostile-zoo-watch.ts'
import type { System } from './system.ts'

export type Visited = { site: Site; key: string; run: RunView | null; ms: number; answer: string }

const atOnceOfProject = 4
const ended = ['done', 'failed', 'cancelled']
const defaults = { delay_ms: 0 }

/** Starts with the slowest sites, so that the others run beside them. */
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

/** Ten crawls at once are polled, and the polls must not be most of the load. */
const pollMs = 300

const patience = ({ expect, group }: Site) => expect.settledWithinMs + Number(group === 'slowness')

async function crawlOne(system: System, key: string, site: Site, url: string): Promise<Visited> {
  const from = performance.now()
  const begun = await begin(system, key, { ...defaults, ...site.crawl, url })
  if (begun.status !== 202)
    return { site, key, run: null, ms: 0, answer: `${begun.status} ${JSON.stringify(begun.body)}` }
  const path = `/v1/crawls/${begun.body.id}`
  for (;;) {
    const { body: run } = await system.call(key, 'GET', path)
    const ms = Math.round(performance.now() - from)
    if (ended.includes(run.status)) return { site, key, run, ms, answer: '' }
    if (ms > site.expect.settledWithinMs) {
      await system.call(key, 'DELETE', path)
      return { site, key, run, ms, answer: '' }
    }
    await sleep(pollMs)
  }
}

/** Retries a 429, because a slot becomes free a moment after its run has ended. */
async function begin(system: System, key: string, request: object) {
  for (let tries = 0; ; tries++) {
    const answer = await system.call(key, 'POST', '/v1/crawls', request)
    if (answer.status !== 429 || tries === 50) return answer
    await sleep(100)
  }
}

/** Returns the differences to the expected result. */
export function faultsOf({ site, run, ms, answer }: Visited): string[] {
  const { status, stopReason, pages, errors, errorMessage, settledWithinMs } = site.expect
  if (run === null) return [`did not start: ${answer}`]
  if (!ended.includes(run.status)) return [`did not end within ${ms} ms, with ${run.page_count} pages`]
  const message = run.error_message
  const isExpected = errorMessage === null ? message === null : message !== null && errorMessage.test(message)
  return [
    ...(run.status === status ? [] : [`status ${run.status}, not ${status}`]),
    ...(stopReason === undefined || run.stop_reason === stopReason
      ? []
      : [`stop_reason ${run.stop_reason}, not ${stopReason}`]),
    ...(isWithin(run.page_count, pages) ? [] : [`page_count ${run.page_count}, not ${inWords(pages)}`]),
    ...(errors === undefined || isWithin(run.error_count, errors)
      ? []
      : [`error_count ${run.error_count}, not ${inWords(errors)}`]),
    ...(isExpected ? [] : [`error_message ${message}, not ${errorMessage}`]),
    ...(ms <= settledWithinMs ? [] : [`ended after ${ms} ms, not within ${settledWithinMs}`]),
  ]
}

/** Describes a stall with the sites that were being crawled at that time. */
export function describeStall({ instance, ms, cpu_ms, time }: Stall, visited: Visited[]): string {
  const noticed = Date.parse(time)
  const began = noticed - ms
  const suspects = visited.filter(({ run }) => {
    const [from, to] = [Date.parse(run?.started_at ?? ''), Date.parse(run?.finished_at ?? '')]
    return from <= noticed && to >= began
  })
  return `${instance} for ${ms} ms, ${cpu_ms} of them CPU time, during ${suspects.map(({ site }) => site.name).join(', ')}`
}

const isWithin = (count: number, expected: Count) =>
  typeof expected === 'number' ? count === expected : count >= expected.atLeast && count <= expected.atMost

const inWords = (count: Count) =>
  typeof count === 'number' ? String(count) : `${count.atLeast} to ${count.atMost}`
