/** Publishes outcomes by shard in messages of bounded size, in the given order within each shard. */

import type { Bus } from '@tidemark/bus/connection'
import { type Insistence, insist } from '@tidemark/bus/insist'
import { publish } from '@tidemark/bus/publish'
import { subjects } from '@tidemark/contracts/subjects'
import { type Outcome, outcomeBytes } from '@tidemark/contracts/work/outcome'
import { messageId } from '../domain/names.ts'

/** Resolves when all are stored. Rejects only when aborted. */
export type PublishOutcomes = (outcomes: Outcome[]) => Promise<void>

export const createOutcomes =
  (bus: Bus, insistence: Insistence): PublishOutcomes =>
  async outcomes => {
    const byShard = Map.groupBy(outcomes, ({ runId }) => subjects.outcomes(runId))
    await Promise.all(Array.from(byShard, ([subject, some]) => publishInOrder(subject, some)))

    async function publishInOrder(subject: string, some: Outcome[]): Promise<void> {
      for (const { payload, outcomes } of messagesOf(some)) {
        const id = messageId(outcomes)
        await insist(() => publish(bus, subject, payload, { id }), insistence)
      }
    }
  }

type Message = { payload: string; outcomes: Outcome[] }

function* messagesOf(outcomes: Outcome[]): Generator<Message> {
  let texts: string[] = []
  let together: Outcome[] = []
  let bytes = 0
  for (const outcome of outcomes) {
    const text = JSON.stringify(outcome)
    const more = Buffer.byteLength(text) + 1
    if (together.length > 0 && bytes + more > outcomeBytes) {
      yield { payload: payloadOf(texts), outcomes: together }
      texts = []
      together = []
      bytes = 0
    }
    texts.push(text)
    together.push(outcome)
    bytes += more
  }
  if (together.length > 0) yield { payload: payloadOf(texts), outcomes: together }
}

const payloadOf = (texts: string[]): string => `{"outcomes":[${texts.join()}]}`
