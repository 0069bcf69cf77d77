/**
 * Judges URLs like a run, without a run. It works in steps, because runs in progress come first. If the patterns take
 * too long, it judges only the URLs that were matched in time.
 */
import type { JudgeUrls, JudgeUrlsResponse } from '@tidemark/contracts/rpc/judge'
import type { Filtered } from '@tidemark/url/path-filter'
import type { PatternThread } from '@tidemark/url/pattern-thread'
import { inSteps } from '../concurrency/in-steps.ts'
import { type Circumstances, unbounded } from '../domain/circumstances.ts'
import { patternsOf, type Verdicts } from '../domain/filter.ts'
import { forecastSteps } from '../domain/forecast.ts'

type Ports = Pick<Circumstances, 'robotsToken' | 'trapsOff' | 'runLimitMs'> & {
  patterns: Pick<PatternThread, 'judge'>
}

/** Maximum milliseconds of processor time, and of elapsed time: the gateway waits 10 s for the response. */
const budgetMs = 3_000
const withinMs = 6_000
/** Number of URLs that are matched at a time, so that some are judged when the time is over. */
const atOnce = 20

export function judgeUrls({ robotsToken, trapsOff, runLimitMs, patterns }: Ports) {
  return async (request: JudgeUrls): Promise<JudgeUrlsResponse> => {
    const judged = { ...request, urls: [...(request.settings.urls ?? []), ...request.urls] }
    const { verdicts, count } = await matchInTime(patterns, judged)
    const urls = judged.urls.slice(0, count)
    const at = new Date().toISOString()
    const circumstances = {
      at,
      takeId: () => 1,
      window: 0,
      allowance: unbounded,
      cloudAllowance: unbounded,
      robotsToken,
      trapsOff,
      runLimitMs,
      verdicts,
    }
    const answer = await inSteps(forecastSteps({ ...judged, urls }, circumstances))
    return { ...answer, ...(urls.length < judged.urls.length && { isCut: true as const }) }
  }
}

/**
 * Matches as many URLs with the patterns as time allows, from the first one on. Returns the verdicts and the number of
 * these URLs.
 */
async function matchInTime(
  patterns: Ports['patterns'],
  { projectId = 0, settings, urls }: JudgeUrls,
): Promise<{ verdicts?: Verdicts; count: number }> {
  const lists = patternsOf(settings)
  if (lists === null) return { count: urls.length }
  const verdicts = new Map<string, Filtered | null>()
  const signal = AbortSignal.timeout(withinMs)
  let [leftMs, count] = [budgetMs, 0]
  while (count < urls.length && leftMs > 0) {
    const some = urls.slice(count, count + atOnce)
    const about = { tenant: projectId, budgetMs: leftMs, signal }
    const judged = await patterns.judge(lists, some, about).catch(error => {
      if (signal.aborted) return null
      throw error
    })
    if (judged === null) break
    for (const [n, verdict] of judged.verdicts.entries()) verdicts.set(some[n] ?? '', verdict)
    count += judged.verdicts.length
    if (judged.verdicts.length < some.length) break // the budget was spent within this part
    leftMs -= judged.spentMs
  }
  return { verdicts, count }
}
