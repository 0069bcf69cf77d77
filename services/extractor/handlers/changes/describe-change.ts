/** Describes the change of a page in words, by the language model. There are no words for no change. */
import { randomBytes } from 'node:crypto'
import { refuse } from '@tidemark/bus/refusal'
import type { ChangeInWords, DescribeChange } from '@tidemark/contracts/rpc/model'
import type { Model } from '../../adapters/model.ts'
import { sentLines } from '../../domain/model/changed-lines.ts'
import { describedBy, describeMessages } from '../../domain/model/describe-change.ts'

/** Rejects with `not_configured` without a model. A model that fails is not an error: the response has the fault. */
export const describeChange =
  (model: Model | null) =>
  async ({ url, lines, projectId }: DescribeChange): Promise<ChangeInWords> => {
    if (model === null) throw refuse('not_configured')
    const { lines: sent, isPart } = sentLines(
      lines.map(line => ({ url, ...line })),
      model.maxCharacters,
    )
    if (sent.length === 0) return lines.length === 0 ? nothing : { ...nothing, fault: noLines }
    const messages = describeMessages(sent, randomBytes(8).toString('hex'))
    const response = await model.request(messages, `project ${projectId}`)
    const { use } = response
    if (response.type === 'failed') return { words: null, fault: faultOf('model_failed', response.why), use }
    const described = describedBy(response.text, sent)
    if (described.type === 'rejected')
      return { words: null, fault: faultOf(described.reason, described.why), use }
    const quotes = described.quotes.map(({ change, text }) => ({ change, text }))
    return { words: { text: described.text, quotes }, fault: null, isPart, use }
  }

type Fault = NonNullable<ChangeInWords['fault']>

const nothing: ChangeInWords = { words: null, fault: null, use: null }
const faultOf = (reason: Fault['reason'], why: string): Fault => ({ reason, why: `the model ${why}` })
const noLines: Fault = { reason: 'not_quoted', why: 'no changed line may be sent to the model' }
