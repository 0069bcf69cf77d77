/** Converts the pages of backends to the form of the API. */
import type { CloudPage, CloudTry } from '@tidemark/contracts/http/cloud/page'
import type { Try } from '@tidemark/contracts/rpc/backends'
import type { GotPage } from '@tidemark/contracts/rpc/cloud'

/** Returns the fields of every page, without its cost. */
export function pageFields(
  got: GotPage,
): Omit<CloudPage, 'content' | 'cost_usd' | 'elapsed_ms' | 'warnings'> {
  const { url, status, backend, tried, content, moved, pool, country } = got
  return {
    status,
    url,
    backend,
    tried: tried.map(tryView),
    blocked: content.challenge !== null,
    ...(moved !== null && { bytes_transferred: moved }),
    ...(pool !== null && { pool }),
    ...(country !== null && { country }),
  }
}

export const tryView = ({ backend, pool, outcome, reason, elapsedMs, costUsd }: Try): CloudTry => ({
  backend,
  ...(pool !== undefined && { pool }),
  outcome,
  reason,
  elapsed_ms: Math.round(elapsedMs),
  cost_usd: costUsd,
})

export const pageWarnings = ({ content: { challenge, warnings } }: Pick<GotPage, 'content'>): string[] =>
  challenge === null
    ? warnings
    : [`the site showed a challenge (${challenge}) instead of its page`, ...warnings]

/** Returns the cost in US dollars, the duration in ms and the warnings as fields of a response. */
export const costFields = (costUsd: number, elapsedMs: number, warnings: readonly string[]) => ({
  cost_usd: costUsd,
  elapsed_ms: Math.round(elapsedMs),
  ...(warnings.length > 0 && { warnings: [...warnings] }),
})
