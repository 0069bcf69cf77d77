/** Names that are made from what they name, so that a repetition is recognised as one. */
import { hash } from 'node:crypto'
import type { Outcome } from '@tidemark/contracts/work/outcome'

/** The Nats-Msg-Id of a message of outcomes: all of them, so that two which only begin alike stay two. */
export const messageId = (outcomes: readonly Outcome[]): string =>
  hash('sha256', outcomes.map(nameOf).join(' '), 'base64url').slice(0, 22)

/** Two parts of one page differ in their number. */
function nameOf(outcome: Outcome): string {
  const { type, runId, key, attempt } = outcome
  const part = 'part' in outcome ? `:${outcome.part}` : ''
  const first = 'links' in outcome ? (outcome.links[0]?.[0] ?? '') : ''
  return `${type}:${runId}:${key}:${attempt}:${first}${part}`
}
