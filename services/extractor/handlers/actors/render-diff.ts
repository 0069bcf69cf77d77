/**
 * Compares a page as served with the page as rendered by a browser. If either is a challenge, there is no page to
 * compare. Content other than HTML has no scripts, so it is not rendered.
 */
import { Refusal } from '@tidemark/bus/refusal'
import type { PageRead, RenderDiff } from '@tidemark/contracts/rpc/actors'
import type { ComparedPage } from '../../domain/actors/compared-page.ts'
import { renderDiffOf, type Side } from '../../domain/actors/render-diff.ts'
import { type FetchAndSeePorts, fetchAndSee, type Seen } from './fetch-and-see.ts'

const readingOf = () => ({ as: 'outline' }) as const
/** The browser waits until scripts load no more resources. */
const byBrowser = { backend: 'browser', waitFor: 'networkidle', picture: false } as const
/** Share of the total time for the page as served. */
const plainShare = 0.4

/** The handler throws the `Refusal` of `fetchAndSee` for either page. */
export function renderDiff(ports: FetchAndSeePorts) {
  return async ({ timeoutMs, ...request }: RenderDiff): Promise<PageRead> => {
    const endsAt = performance.now() + timeoutMs
    const plainMs = Math.ceil(timeoutMs * plainShare)
    const before = await fetchAndSee(ports, { ...request, readingOf, timeoutMs: plainMs })
    if (before.challenge !== null) return answerOf(before, null, [])
    const served = sideOf(before)
    if (!served.page.isHtml) return compared(before, served, 0)
    const leftMs = Math.max(1, Math.floor(endsAt - performance.now()))
    const rendered = { ...request, readingOf, timeoutMs: leftMs, by: byBrowser }
    const after = await fetchAndSee(ports, rendered).catch(asRenderError)
    if (after.challenge !== null) return answerOf({ ...before, challenge: after.challenge }, null, [])
    const warnings = after.warnings.map(warning => `rendered: ${warning}`)
    return compared(before, sideOf(after), after.costUsd, warnings)
  }
}

function compared(before: Seen, after: Side, costUsd: number, ofBrowser: string[] = []): PageRead {
  const { data, warnings } = renderDiffOf(sideOf(before), after, costUsd)
  return answerOf(before, data, [...before.warnings, ...ofBrowser, ...warnings])
}

const answerOf = (
  { url, status, fetchedAt, challenge }: Seen,
  data: object | null,
  warnings: string[],
): PageRead => ({
  ...{ url, status, fetchedAt, challenge },
  data,
  warnings,
})

const sideOf = ({ data, url, status }: Seen): Side => ({ page: data as ComparedPage, url, status })

/** States that only the rendering failed, because the plain fetch succeeded. */
function asRenderError(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'fetch_failed') throw error
  const message = `The browser could not load the page: ${error.message}`
  throw new Refusal({ ...error.toJSON(), message }, { cause: error })
}
