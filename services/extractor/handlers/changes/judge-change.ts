/** Judges by the language model whether a change is the one that a client waits for. */
import { randomBytes } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import type { JudgeChange, JudgedChange } from '@tidemark/contracts/rpc/model'
import type { Model } from '../../adapters/model.ts'
import { sentLines } from '../../domain/model/changed-lines.ts'
import { judgedBy, judgeMessages, unknown } from '../../domain/model/judge-intent.ts'

/** Rejects with `not_configured` without a model. A model that fails is not an error: the judgement is then unknown. */
export const judgeChange =
  (model: Model | null) =>
  async ({ intent, pages, isPart, projectId }: JudgeChange): Promise<JudgedChange> => {
    if (model === null) throw refuse('not_configured')
    const all = pages.flatMap(({ url, lines }) => lines.map(line => ({ url, ...line })))
    const sent = sentLines(all, model.maxCharacters)
    if (sent.lines.length === 0) return { ...unknown('lines_left_out'), use: null }
    const messages = judgeMessages(intent, sent, randomBytes(8).toString('hex'))
    const response = await model.request(messages, `project ${projectId}`)
    const judged =
      response.type === 'failed'
        ? unknown('model_failed')
        : judgedBy(response.text, { ...sent, isPart: sent.isPart || isPart })
    return { ...judged, use: response.use }
  }
