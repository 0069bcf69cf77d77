/**
 * Decides once per batch of scans that its end is sent. One transaction stores the decision, its event and the
 * checkpoint. The delivery is stored under the negative id of the batch, because the ids of runs begin at 1.
 */
import { eventData, jsonParser } from '@tidemark/bus/codec'
import type { StreamMessage } from '@tidemark/bus/read'
import { BatchFinished } from '@tidemark/contracts/batches/events'
import { AnyCommit } from '@tidemark/contracts/commit'
import { Id } from '@tidemark/contracts/primitives'
import type { Projection } from '@tidemark/db/projector'
import { Type } from 'typebox'
import type { Stamped } from '../adapters/commits.ts'
import type { Decided } from '../adapters/decisions.ts'
import { forgetRuns } from '../adapters/runs.ts'
import { noDecisions, type Ports, recordInto } from './decide-deliveries.ts'

const parseCommit = jsonParser(AnyCommit)
const finished = eventData(BatchFinished.properties.data)
const deleted = eventData(Type.Object({ batchId: Id }))

export const decideBatches =
  ({ decided }: Pick<Ports, 'decided'>): Projection['apply'] =>
  async (client, messages) => {
    const { ended, removed } = readFacts(messages)
    const decisions = noDecisions()
    await recordInto(client, ended, decisions)
    await forgetRuns(client, removed)
    decided(decisions)
  }

/** Throws `Unreadable`. */
function readFacts(messages: readonly StreamMessage[]): { ended: Decided[]; removed: Stamped[] } {
  const ended: Decided[] = []
  const removed: Stamped[] = []
  for (const { data } of messages) {
    const { at, trace, events } = parseCommit(data)
    for (const event of events) {
      if (event.type === 'BatchDeleted') removed.push({ runId: -deleted(event).batchId, at, trace })
      if (event.type !== 'BatchFinished') continue
      const { batchId, projectId, counts, createdAt, webhookUrl } = finished(event)
      if (webhookUrl === undefined) continue
      ended.push({
        ...{ runId: -batchId, projectId, event: 'batch.done', state: 'pending', target: webhookUrl },
        ...{ facts: { counts, createdAt, finishedAt: at }, trace: trace ?? null, reopenings: 0 },
      })
    }
  }
  return { ended, removed }
}
