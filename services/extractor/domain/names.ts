/** Names derived from content, by which repetitions are recognized. */
import { hash } from 'node:crypto'
import type { Outcome } from '@tidemark/contracts/work/outcome'

/**
 * Returns the Nats-Msg-Id of a message of outcomes. It covers all outcomes, so that messages with equal beginnings
 * differ.
 */
export const messageId = (outcomes: readonly Outcome[]): string =>
  hash('sha256', outcomes.map(nameOf).join(' '), 'base64url').slice(0, 22)

/** Parts of a page differ in number. A page and a sitemap with the same URL differ in kind. */
function nameOf(outcome: Outcome): string {
  const { type, runId, key, attempt } = outcome
  const part = 'part' in outcome ? `:${outcome.part}` : ''
  const first = 'links' in outcome ? (outcome.links[0]?.[0] ?? '') : ''
  const kind = 'kind' in outcome && outcome.kind ? `:${outcome.kind}` : ''
  return `${type}:${runId}:${key}:${attempt}:${first}${part}${kind}`
}
