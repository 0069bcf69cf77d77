/** Reads the main content of a crawl's pages from the extractor, a few at once and within a time. */
import type { Contents } from '../../live-pages/adapters/contents.ts'
import type { ListedPage } from '../domain/llms-txt/listed-page.ts'
import type { DescribedPage } from './described-pages.ts'

export type TextRequest = { projectId: number; runId: number; maxCharacters: number }

/** The text of a page without text is null. `unread` is the number of pages whose text could not be read now. */
export type ReadTexts = (
  pages: readonly DescribedPage[],
  request: TextRequest,
) => Promise<{ pages: ListedPage[]; unread: number }>

const atOnce = 4
const maxMs = 30_000
/** The first pages are read with their menus: the home page, and pages of its sections. */
const withMenus = 6
const maxMenuCharacters = 300_000
/** Characters of all texts together. Beyond them only the beginning of each text is kept. */
const maxOfAll = 8_000_000
const maxBeginning = 20_000

const nothing = { html: false, article: false, signals: false, anchors: false }

export function pageTexts(contents: Pick<Contents, 'read'>, now: () => number): ReadTexts {
  return async (pages, { projectId, runId, maxCharacters }) => {
    const until = now() + maxMs
    const read: ListedPage[] = []
    let unread = 0
    let left = maxOfAll
    for (let at = 0; at < pages.length; at += atOnce) {
      const batch = pages.slice(at, at + atOnce)
      read.push(...(await Promise.all(batch.map((page, n) => readOne(page, at + n)))))
    }
    return { pages: read, unread }

    async function readOne({ urlKey, status, ...page }: DescribedPage, index: number): Promise<ListedPage> {
      const markdownOf = async (markdown: 'main' | 'page') => {
        const storedPage = { projectId, runId, urlKey, url: page.url, status }
        const content = await contents.read({ ...storedPage, wanted: { ...nothing, markdown } })
        return content?.markdown ?? null
      }
      try {
        if (now() > until) throw new Error('The time for reading is over.')
        const main = await markdownOf('main')
        const whole = index < withMenus ? await markdownOf('page') : null
        const kept = main?.slice(0, Math.max(maxBeginning, Math.min(maxCharacters, left))) ?? null
        left -= kept?.length ?? 0
        return {
          ...page,
          main: kept,
          ...(whole !== null && { whole: whole.slice(0, maxMenuCharacters) }),
        }
      } catch {
        // A finished and billed crawl is worth more than one page's text; the caller warns.
        unread++
        return { ...page, main: null }
      }
    }
  }
}
