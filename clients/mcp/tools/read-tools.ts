/** Tools that read pages: one from the web now, or stored ones. */
import type { Draft, Facts } from '../answers/answer.ts'
import { type Cursor, readCursor } from '../answers/cursor.ts'
import { smallImage } from '../answers/image.ts'
import type { PageText } from '../answers/page-text.ts'
import { searchWeb } from './search-tool.ts'
import {
  billedOutput,
  count,
  crawlId,
  cursor,
  id,
  listOutput,
  maxTokens,
  notes,
  option,
  reads,
  type Tool,
  text,
  textOrNull,
  textOutput,
  url,
} from './tool.ts'

const mainContent = option(true, 'Leave out menus, header and footer.')

/** Returns the part of a page from the cursor on, with a warning if the page changed since. */
function partOf(
  { offset, version: expected }: Cursor,
  page: { source: string; markdown: unknown; hash: unknown },
): { page?: PageText; changed: Facts } {
  if (typeof page.markdown !== 'string') return { changed: { note: 'The page has no text.' } }
  const version = String(page.hash ?? '').slice(0, 8)
  const hasChanged = expected !== '' && expected !== version
  return {
    page: {
      source: page.source,
      markdown: page.markdown,
      offset: Math.min(offset, page.markdown.length),
      version,
    },
    changed: hasChanged ? { note: 'The page has changed since the answer with this cursor.' } : {},
  }
}

const scanUrl: Tool = {
  title: 'Read a page now',
  description:
    'Fetch one public page now and return its Markdown. Costs 1 page, and 1 cloud page more for a screenshot and for a fetch by the unblocker or browser. Each call fetches and costs again, also with a cursor.',
  input: {
    url,
    main_content: mainContent,
    cloud_mode: {
      type: 'string',
      enum: ['none', 'auto', 'unblocker', 'browser'],
      description:
        'none: plain HTTP. auto: the unblocker after a bot challenge. unblocker: the unblocker at once. browser: run the scripts of the page. Default: the setting of the project.',
    },
    screenshot: option(false, 'Add a small image of the top of the page.'),
    max_tokens: maxTokens,
    cursor,
  },
  required: ['url'],
  output: {
    url: text,
    status: count,
    title: textOrNull,
    blocked: { type: 'boolean' },
    ...textOutput,
    ...billedOutput,
  },
  hints: reads(true),
  async run({ args, api, signal, maxTokens: budget }): Promise<Draft> {
    // A bad cursor must not cost a page.
    const position = readCursor(args.cursor, 'page')
    const answer = await api('POST', '/v1/scan', {
      body: {
        url: args.url,
        only_main_content: args.main_content,
        ...(args.cloud_mode !== undefined && { cloud_mode: args.cloud_mode }),
        ...(args.screenshot && { screenshot_inline: true }),
      },
      signal,
    })
    const { body } = answer
    const { page, changed } = partOf(position, {
      source: body.final_url,
      markdown: body.markdown,
      hash: body.content_hash,
    })
    const image = typeof body.screenshot === 'string' ? smallImage(body.screenshot, budget) : undefined
    return {
      facts: {
        url: body.final_url,
        status: body.status,
        title: body.metadata?.title ?? null,
        blocked: body.blocked,
        content_type: body.content_type,
        ...(body.screenshot_error !== undefined && { screenshot_error: body.screenshot_error }),
        ...(args.screenshot &&
          image === null && { screenshot_error: 'The screenshot could not be scaled down.' }),
        ...changed,
        ...notes(answer),
      },
      ...(page && { page }),
      ...(image && { image }),
    }
  },
}

const readPage: Tool = {
  title: 'Read a stored page',
  description:
    'Return the Markdown of a page that a crawl stored. list_pages has its page_id. The answer links the complete Markdown and HTML as resources. Free.',
  input: { page_id: id, main_content: mainContent, max_tokens: maxTokens, cursor },
  required: ['page_id'],
  output: { page_id: count, url: text, status: count, title: textOrNull, ...textOutput },
  hints: reads(false),
  async run({ args, api, signal }): Promise<Draft> {
    const position = readCursor(args.cursor, 'page')
    const query = { format: 'markdown', only_main_content: String(args.main_content) }
    const answer = await api('GET', `/v1/pages/${args.page_id}`, { query, signal })
    const { body } = answer
    const { page, changed } = partOf(position, {
      source: body.url,
      markdown: body.markdown,
      hash: body.content_hash,
    })
    return {
      facts: {
        page_id: body.id,
        url: body.url,
        status: body.status,
        title: body.metadata?.title ?? null,
        fetched_at: body.fetched_at,
        content_type: body.content_type,
        ...changed,
        ...notes(answer),
      },
      ...(page && { page }),
      links: [
        { uri: `tidemark://pages/${body.id}/markdown`, name: `Page ${body.id}`, mimeType: 'text/markdown' },
        { uri: `tidemark://pages/${body.id}/html`, name: `HTML of page ${body.id}`, mimeType: 'text/html' },
      ],
    }
  },
}

const pagesOfList = 100

const listPages: Tool = {
  title: 'List the pages of a crawl',
  description:
    'List the pages of a crawl with their page_id, HTTP status and title, also while the crawl runs. Free.',
  input: {
    crawl_id: crawlId,
    status: {
      type: 'integer',
      minimum: 100,
      maximum: 999,
      description: 'List only pages with this HTTP status.',
    },
    max_tokens: maxTokens,
    cursor,
  },
  required: ['crawl_id'],
  output: { crawl_id: count, ...listOutput },
  hints: reads(false),
  async run({ api, args, signal }): Promise<Draft> {
    const { offset } = readCursor(args.cursor, 'list')
    const query = { offset, limit: pagesOfList, status: args.status, fields: 'title,depth' }
    const answer = await api('GET', `/v1/crawls/${args.crawl_id}/pages`, { query, signal })
    const entries = answer.body.items.map((page: Facts) => ({
      page_id: page.id,
      url: page.url,
      status: page.status,
      title: page.title ?? null,
      depth: page.depth,
    }))
    return {
      facts: { crawl_id: args.crawl_id, ...notes(answer) },
      list: {
        entries,
        offset,
        isMore: answer.body.next_offset !== null,
        line: page => `${page.page_id} ${page.status} ${page.url} ${JSON.stringify(page.title)}`,
      },
    }
  },
}

export const readTools: Readonly<Record<string, Tool>> = {
  scan_url: scanUrl,
  search_web: searchWeb,
  list_pages: listPages,
  read_page: readPage,
}
