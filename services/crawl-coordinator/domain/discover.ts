/** Whether a URL that was found is crawled: the one place where admission is decided. */
import type { FoundUrl } from '@tidemark/contracts/run'
import { judgePath } from '@tidemark/robots/judge'
import type { Decision } from './decision.ts'
import { originOf, type Running, slots } from './run.ts'

/** Judges a URL in scope: admits it, defers it behind a limit, or skips it by robots.txt. Known ones change nothing. */
export function discover({ run, emit }: Decision, found: FoundUrl): void {
  const place = run.places.get(found.key)
  if (place !== undefined && place !== 'deferred') return
  if (place === 'deferred' && !wasTooDeep(run, found)) return

  if (found.depth > run.settings.depth) {
    if (place === undefined) emit({ type: 'PagesDeferred', data: { limit: 'depth', pages: [found] } })
    return
  }
  const forbidden = forbiddenBy(run, found.url)
  if (forbidden) {
    emit({
      type: 'PagesSkipped',
      data: { reason: forbidden.reason, pages: [{ ...mark(found), rule: forbidden.rule }] },
    })
    return
  }
  if (slots(run) > 0) emit({ type: 'PagesAdmitted', data: { pages: [found] } })
  else if (place === undefined) emit({ type: 'PagesDeferred', data: { limit: 'max_pages', pages: [found] } })
}

/** Admits what waits behind `max_pages`, as far as slots have come back. */
export function refill(decision: Decision): void {
  const { run, emit } = decision
  for (const found of run.deferred.max_pages.values()) {
    if (slots(run) <= 0) return
    const forbidden = forbiddenBy(run, found.url)
    if (forbidden) {
      emit({
        type: 'PagesSkipped',
        data: { reason: forbidden.reason, pages: [{ ...mark(found), rule: forbidden.rule }] },
      })
    } else emit({ type: 'PagesAdmitted', data: { pages: [found] } })
  }
}

export type Forbidden = { reason: 'robots' | 'robots_unreachable'; rule: string | null }

/** What robots.txt has against a URL, or null. An origin whose robots.txt is not known yet has nothing against it. */
export function forbiddenBy({ settings, robots }: Running, url: string): Forbidden | null {
  if (!settings.respectRobots) return null
  const origin = originOf(url)
  const known = robots.get(origin)
  if (known?.state === 'failed') return { reason: 'robots_unreachable', rule: `robots.txt: ${known.reason}` }
  if (known?.state !== 'read' || known.verdict === 'allow_all') return null
  if (known.verdict === 'disallow_all') {
    return { reason: 'robots_unreachable', rule: `robots.txt answered ${known.status}` }
  }
  const { allowed, rule } = judgePath(known.group, url.slice(origin.length) || '/')
  return allowed ? null : { reason: 'robots', rule }
}

/** Found before, but only by a way that was too long; now by a shorter one. */
const wasTooDeep = (run: Running, { key, depth }: FoundUrl): boolean =>
  run.deferred.depth.has(key) && depth <= run.settings.depth

const mark = ({ key, url, from }: FoundUrl) => ({ key, url, from })
