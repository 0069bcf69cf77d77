/** The tool that searches the web. Every result that it bills is in its answer. */
import type { Draft, Facts } from '../answers/answer.ts'
import { cutBefore } from '../answers/headings.ts'
import { billedOutput, items, maxTokens, notes, reads, type Tool, text } from './tool.ts'

/** Tokens that suffice for the title and the URL of a result in both forms of the answer, and its part of the facts. */
const minTokensOfResult = 200

export const searchWeb: Tool = {
  title: 'Search the web',
  description:
    'Search the web and return each result with the beginning of its page in Markdown; scan_url reads the rest. Costs 1 cloud page per result.',
  input: {
    query: { type: 'string', minLength: 1, maxLength: 2000 },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 20,
      default: 5,
      description: `Number of results, at most max_tokens / ${minTokensOfResult}.`,
    },
    max_tokens: maxTokens,
  },
  required: ['query'],
  output: { query: text, items, cursor: { type: 'null' }, ...billedOutput },
  hints: reads(true),
  async run({ api, args, maxTokens, signal }): Promise<Draft> {
    // Results that the answer has no space for would be billed and never read.
    const limit = Math.min(args.limit, Math.floor(maxTokens / minTokensOfResult))
    const body = { query: args.query, limit, return_format: 'markdown' }
    const answer = await api('POST', '/v1/cloud/search', { body, signal })
    const results: Facts[] = answer.body.results
    const entries = results.map(({ url, title, content }) => ({ url, title, content: String(content ?? '') }))
    return {
      facts: {
        query: args.query,
        found: results.length,
        ...(limit < args.limit && { note: `max_tokens has space for ${limit} results.` }),
        ...notes(answer),
      },
      list: {
        entries,
        offset: 0,
        isMore: false,
        line: ({ url, title, content }) => [`## ${title}`, url, content].filter(Boolean).join('\n'),
        cut: ({ content, ...rest }, length) => ({ ...rest, content: beginningOf(String(content), length) }),
      },
    }
  },
}

/** Returns the beginning of a text, if possible up to a heading. */
const beginningOf = (text: string, length: number): string =>
  text.length <= length
    ? text
    : length === 0
      ? ''
      : `${text.slice(0, cutBefore(text, 0, length)).trimEnd()} …`
