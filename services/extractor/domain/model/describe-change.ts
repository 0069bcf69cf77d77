/**
 * The change of a page in the words of a model, which receives only the changed lines. Its words are accepted only if
 * it quotes lines, and if the lines support each statement.
 */
import { textOf } from '@tidemark/contracts/plain-text'
import { collapse } from '@tidemark/html/tree/raw-text'
import { type ChangedLine, fencedLines, quotedLines, rulesOfLines } from './changed-lines.ts'
import { type Message, objectIn } from './messages.ts'
import { statementFault } from './statement-fault.ts'

export type Described =
  | { type: 'described'; text: string; quotes: ChangedLine[] }
  /** `why` continues the sentence "the model …". */
  | { type: 'rejected'; reason: 'model_failed' | 'not_quoted'; why: string }

export const maxStatement = 600

const rules = [
  'You describe the change of one web page to a reader, in at most three sentences of English.',
  ...rulesOfLines,
  'Answer with one JSON object and nothing else: {"summary": "…", "quotes": ["…"]}.',
  'Each quote is one whole changed line, word for word. Quote every line that the summary is about.',
  'Say nothing that the lines do not state. Do not calculate differences or percentages.',
].join('\n')

/**
 * Returns the messages of the request.
 * @param marker unpredictable text, so that no page can close the fence
 */
export const describeMessages = (lines: readonly ChangedLine[], marker: string): Message[] => [
  { role: 'system', content: rules },
  { role: 'user', content: `${fencedLines(lines, marker)}\n\nAnswer with the JSON object now.` },
]

/** Checks the response of a model by the lines that it received. */
export function describedBy(response: string, lines: readonly ChangedLine[]): Described {
  const { summary, quotes } = objectIn(response) ?? {}
  const text = typeof summary === 'string' ? collapse(summary) : ''
  if (text === '' || !Array.isArray(quotes))
    return { type: 'rejected', reason: 'model_failed', why: 'responded in another form' }
  if (text.length > maxStatement)
    return { type: 'rejected', reason: 'model_failed', why: `wrote more than ${maxStatement} characters` }
  const quoted = quotedLines(quotes, lines)
  if (quoted === null || quoted.length === 0)
    return { type: 'rejected', reason: 'not_quoted', why: 'did not quote changed lines word for word' }
  const fault = statementFault(text, lines)
  return fault === null
    ? { type: 'described', text: textOf(text.toWellFormed()), quotes: quoted }
    : { type: 'rejected', reason: 'not_quoted', why: fault }
}
