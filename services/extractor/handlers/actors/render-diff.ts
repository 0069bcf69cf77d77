/**
 * One page as its server sends it and as a browser makes it, compared. Who shows a challenge to either has shown no page,
 * and what is no HTML has no scripts: then no browser is asked.
 */
import { Refusal } from '@tidemark/bus/ask'
import type { PageRead, RenderDiff } from '@tidemark/contracts/ask/actors'
import type { Outline } from '../../domain/actors/outline.ts'
import { renderDiffOf, type Side } from '../../domain/actors/render-diff.ts'
import { type FetchAndSeePorts, fetchAndSee, type Seen } from './fetch-and-see.ts'

const readingOf = () => ({ as: 'outline' }) as const
/** Scripts are waited for until they load nothing more. */
const byBrowser = { backend: 'browser', waitFor: 'networkidle', picture: false } as const
/** Of all time, for the page as it is served. */
const plainShare = 0.4

/** The handler throws the `Refusal` of `fetchAndSee`, for either. */
export function renderDiff(ports: FetchAndSeePorts) {
  return async ({ timeoutMs, ...question }: RenderDiff): Promise<PageRead> => {
    const endsAt = performance.now() + timeoutMs
    const plainMs = Math.ceil(timeoutMs * plainShare)
    const before = await fetchAndSee(ports, { ...question, readingOf, timeoutMs: plainMs })
    if (before.challenge !== null) return told(before, null, [])
    const served = sideOf(before)
    if (!served.outline.isHtml) return compared(before, served, 0)
    const leftMs = Math.max(1, Math.floor(endsAt - performance.now()))
    const rendered = { ...question, readingOf, timeoutMs: leftMs, by: byBrowser }
    const after = await fetchAndSee(ports, rendered).catch(byWhom)
    if (after.challenge !== null) return told({ ...before, challenge: after.challenge }, null, [])
    const warnings = after.warnings.map(warning => `rendered: ${warning}`)
    return compared(before, sideOf(after), after.costUsd, warnings)
  }
}

function compared(before: Seen, after: Side, costUsd: number, ofBrowser: string[] = []): PageRead {
  const { data, warnings } = renderDiffOf(sideOf(before), after, costUsd)
  return told(before, data, [...before.warnings, ...ofBrowser, ...warnings])
}

const told = (
  { url, status, fetchedAt, challenge }: Seen,
  data: object | null,
  warnings: string[],
): PageRead => ({
  ...{ url, status, fetchedAt, challenge },
  data,
  warnings,
})

const sideOf = ({ data, url, status }: Seen): Side => ({ outline: data as Outline, url, status })

/** Whoever reads that a page was not had knows that it was had plainly. */
function byWhom(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'fetch_failed') throw error
  const message = `A browser could not have the page: ${error.message}`
  throw new Refusal({ ...error.toJSON(), message }, { cause: error })
}
