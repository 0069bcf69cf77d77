/** Tools that examine pages and sites: the audit of one page, and all actors. */
import type { Draft, Facts } from '../answers/answer.ts'
import { readCursor } from '../answers/cursor.ts'
import {
  billedOutput,
  count,
  cursor,
  listOutput,
  maxTokens,
  notes,
  reads,
  type Tool,
  text,
  textOutput,
  url,
  writes,
} from './tool.ts'

export const auditPage: Tool = {
  title: 'Audit a page',
  description:
    'Check one page against rules for search engines, readers and AI. Return the problems, errors first, each with its remedy. Costs 1 page per call, also with a cursor.',
  input: { url, max_tokens: maxTokens, cursor },
  required: ['url'],
  output: { url: text, status: count, summary: { type: 'object' }, ...listOutput, ...billedOutput },
  hints: reads(true),
  async run({ api, args, signal }): Promise<Draft> {
    const { offset } = readCursor(args.cursor, 'list')
    const answer = await api('POST', '/v1/actors/audit-onpage', { body: { url: args.url }, signal })
    const { url: requestedUrl, final_url, status_code, data } = answer.body
    return {
      facts: {
        url: final_url ?? requestedUrl,
        status: status_code ?? 0,
        summary: data.summary,
        stats: data.stats,
        ...notes(answer),
      },
      list: {
        entries: data.findings.slice(offset),
        offset,
        isMore: false,
        line: ({ severity, rule, message, count, samples }: Facts) =>
          [`${severity} ${rule}: ${message}`, count && `(${count})`, JSON.stringify(samples)]
            .filter(Boolean)
            .join(' '),
      },
    }
  },
}

const actors = [
  'extract-article',
  'structured-data',
  'render-diff',
  'check-links',
  'sitemap-audit',
  'internal-link-graph',
  'audit-site',
]

export const runActor: Tool = {
  title: 'Run an actor',
  description:
    'Run an actor, an analysis of a page, a site or a crawl, and return its JSON, or its rows if input has the format csv or ndjson. input is the body of POST /v1/actors/{actor}: {"url"} for a page or site, {"crawl_id"} for internal-link-graph and audit-site. Costs 1 page per page or call; check-links and sitemap-audit 1 page per requested URL. Each call runs and costs again, also with a cursor.',
  input: {
    actor: { type: 'string', enum: actors },
    input: { type: 'object' },
    max_tokens: maxTokens,
    cursor,
  },
  required: ['actor', 'input'],
  output: { actor: text, ...textOutput, ...billedOutput },
  // It changes nothing, but its free input can spend many units and leak data, so agents need the consent of their user.
  hints: writes(),
  async run({ api, args, signal }): Promise<Draft> {
    const { offset } = readCursor(args.cursor, 'page')
    const answer = await api('POST', `/v1/actors/${args.actor}`, { body: args.input, signal })
    const { url: requestedUrl, data, text: rows } = answer.body
    const markdown: string = rows ?? JSON.stringify(data, null, 1)
    return {
      facts: { actor: args.actor, url: requestedUrl ?? null, ...notes(answer) },
      page: {
        source: String(requestedUrl ?? args.actor),
        markdown,
        offset: Math.min(offset, markdown.length),
        version: '',
      },
    }
  },
}
