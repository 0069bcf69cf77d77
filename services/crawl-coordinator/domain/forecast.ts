/**
 * Judges given URLs like a run. A run is started in memory only, and receives the robots.txt files and the URLs. Each
 * verdict is therefore the verdict of a real run.
 */

import type { EstimatedOut } from '@tidemark/contracts/http/estimate'
import type { JudgeUrls, JudgeUrlsResponse } from '@tidemark/contracts/rpc/judge'
import type { RunEvent } from '@tidemark/contracts/run'
import { tooCostly } from '@tidemark/robots/judge'
import { urlKey } from '@tidemark/url/key'
import { normalForm } from '@tidemark/url/normal-form'
import { inScope, scopeOf } from '@tidemark/url/scope'
import type { Circumstances, Decision } from './circumstances.ts'
import { deciding } from './decision.ts'
import { discover } from './discover.ts'
import { evolve } from './evolve/evolve.ts'
import { unmatched } from './explain/because.ts'
import { delayOf } from './host-rate.ts'
import { attemptsOf } from './retry.ts'
import { settleRobots } from './robots.ts'
import { originOf, type Running, unknown } from './run.ts'

/** Maximum number of URLs in each list of the estimate: URLs in the crawl, and URLs out of it. */
const maxNamed = 20
/** Number of URLs that are judged per step. */
const perStep = 100

type Settled = { admitted: string[]; out: Map<string, EstimatedOut[]> }

/** Judges in steps of a few milliseconds, and returns the estimate. */
export function* forecastSteps(
  { url, seed: requested = url, settings, robots, urls }: JudgeUrls,
  circumstances: Circumstances,
): Generator<void, JudgeUrlsResponse> {
  const seed = normalForm(url) ?? url
  const run = begun({ seed, requested }, settings, circumstances.at)
  const settled: Settled = { admitted: [], out: new Map() }
  const take = (steps: (decision: Decision) => void) => {
    for (const event of deciding(run, circumstances, steps).events) settle(settled, event)
  }
  take(decision => {
    for (const answer of robots) applyRobots(decision, answer)
    if (settings.seedKind !== 'sitemap') find(decision, seed, 0)
  })
  for (let at = 0; at < urls.length; at += perStep) {
    const some = urls.slice(at, at + perStep).filter(found => inScope(run.scope, found))
    take(decision => {
      for (const found of some) find(decision, found, 1)
    })
    yield
  }
  return {
    judged: run.states.size,
    admitted: settled.admitted.length,
    in: settled.admitted.slice(0, maxNamed),
    out: interleaved([...settled.out.values()]),
    delayMs: delayOf(run, originOf(seed)),
  }
}

/**
 * Returns a started run. Its identity is arbitrary, because none of its events is appended. Its tier has the highest
 * caps.
 */
function begun(
  { seed, requested }: { seed: string; requested: string },
  settings: JudgeUrls['settings'],
  at: string,
): Running {
  const queued: RunEvent = {
    type: 'RunQueued',
    data: { runId: 1, projectId: 1, tier: 'studio', url: requested, settings },
  }
  const started: RunEvent = { type: 'RunStarted', data: { scope: scopeOf(seed, settings.subdomains) } }
  return evolve(evolve(unknown, queued, at), started, at) as Running
}

function applyRobots(decision: Decision, { origin, status, body }: JudgeUrls['robots'][number]): void {
  // The last attempt: nothing is retried, whatever the response.
  const attempt = attemptsOf('robots')
  decision.emit({ type: 'RobotsOrdered', data: { origin, attempt } })
  settleRobots(decision, { type: 'robots', origin, attempt, status, body, bodyHash: '' })
}

const find = (decision: Decision, url: string, depth: number): void =>
  discover(decision, { key: urlKey(url), url, depth, from: null, hops: 0 })

function settle({ admitted, out }: Settled, event: RunEvent): void {
  if (event.type === 'PagesAdmitted') for (const { url } of event.data.pages) admitted.push(url)
  for (const left of leftOutBy(event)) {
    const same = out.get(left.rule) ?? []
    if (same.length < maxNamed) out.set(left.rule, [...same, left])
  }
}

function leftOutBy(event: RunEvent): EstimatedOut[] {
  switch (event.type) {
    case 'PagesDeferred':
      return event.data.pages.map(({ url }) => ({ url, rule: event.data.limit, because: null }))
    case 'PagesSkipped':
      return event.data.pages.map(({ url, rule }) => ({
        url,
        rule: event.data.reason,
        because: lineOf(rule, url),
      }))
    case 'PagesFiltered':
      return event.data.pages.map(({ url, pattern }) => ({ url, rule: event.data.by, because: pattern }))
    case 'PagesPruned':
      return event.data.pages.map(({ url, because }) => ({ url, rule: event.data.rule, because }))
    default:
      return []
  }
}

const lineOf = (rule: string | null, url: string): string | null =>
  rule === tooCostly ? `${unmatched(url)}.` : rule

/** Returns elements of each list in turn, up to the maximum. */
function interleaved(lists: EstimatedOut[][]): EstimatedOut[] {
  const positions = Array.from({ length: maxNamed }, (_, n) => n)
  return positions.flatMap(n => lists.flatMap(list => list[n] ?? [])).slice(0, maxNamed)
}
