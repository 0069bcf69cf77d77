/** The tool that compares two crawls: all their pages, or the text of one. */
import type { Draft, Facts } from '../answers/answer.ts'
import { readCursor } from '../answers/cursor.ts'
import { type Call, cursor, id, listOutput, maxTokens, notes, reads, type Tool, url } from './tool.ts'

/** Classes of pages that a comparison lists, in the order of the answer. */
const classes = ['changed', 'added', 'removed', 'not_revisited', 'not_compared'] as const
const marks: Readonly<Record<string, string>> = { added: '+', removed: '-' }

export const diffRuns: Tool = {
  title: 'Compare two crawls',
  description:
    'List the pages that were changed, added or removed between two crawls of a site. With url, list the changed lines of that page instead. Free.',
  input: {
    old_crawl_id: { ...id, description: 'The earlier crawl.' },
    new_crawl_id: { ...id, description: 'The later crawl.' },
    url: { ...url, description: 'Compare the text of this page only.' },
    max_tokens: maxTokens,
    cursor,
  },
  required: ['old_crawl_id', 'new_crawl_id'],
  output: { summary: { type: 'object' }, ...listOutput },
  hints: reads(false),
  run: call => (call.args.url === undefined ? comparedRuns(call) : comparedPage(call, call.args.url)),
}

const diffPath = ({ old_crawl_id: older, new_crawl_id: newer }: Call['args']) =>
  `/v1/crawls/${older}/diff/${newer}`

async function comparedRuns({ api, args, signal }: Call): Promise<Draft> {
  const { offset } = readCursor(args.cursor, 'list')
  const answer = await api('GET', diffPath(args), { signal })
  const rows = classes.flatMap(name =>
    (answer.body[name] as Facts[]).map(({ url, status, old_status, new_status, cause }) => ({
      change: name,
      url,
      ...(status !== undefined && { status }),
      ...(old_status !== new_status && { old_status, new_status }),
      ...(cause !== undefined && { cause }),
    })),
  )
  return {
    facts: { summary: answer.body.summary, ...notes(answer) },
    list: {
      entries: rows.slice(offset),
      offset,
      isMore: false,
      line: ({ change, url, cause, old_status: old, new_status: now }) =>
        [change, url, cause, old === undefined ? undefined : `${old} → ${now}`].filter(Boolean).join(' '),
    },
  }
}

async function comparedPage({ api, args, signal }: Call, page: string): Promise<Draft> {
  const { offset } = readCursor(args.cursor, 'list')
  const answer = await api('GET', `${diffPath(args)}/page`, { query: { url: page }, signal })
  const { url: found, old_page_id, new_page_id, summary, truncated, lines } = answer.body
  const entries = lines.map(({ change, text }: Facts) => ({ change, text }))
  return {
    facts: { url: found, old_page_id, new_page_id, summary, truncated, ...notes(answer) },
    list: {
      entries: entries.slice(offset),
      offset,
      isMore: false,
      line: ({ change, text }) => `${marks[String(change)] ?? ' '} ${text}`,
    },
  }
}
