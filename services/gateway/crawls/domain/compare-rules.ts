/** Rules for the comparison of pages: valid selectors, of bounded length, and stored bodies for counted words. */
import type { CrawlRequest } from '@tidemark/contracts/http/crawl-request'
import { selectorFault } from '@tidemark/html/selection/select'
import { refusal } from '../../http/domain/refusal.ts'
import { type FieldRule, without } from './field-rule.ts'

const selectors = ['ignore_selectors', 'only_selectors'] as const
const lists = [...selectors, 'ignore_text'] as const

/** Maximum characters of all selectors and patterns together: they travel with each page. */
const maxCharacters = 4_000

/**
 * Checks the selectors. The patterns of `ignore_text` are checked later, together with the patterns of paths, because
 * that may take long.
 */
export const compareRules: FieldRule = request => {
  assertLength(request)
  for (const field of selectors) {
    for (const [at, selector] of (request[field] ?? []).entries()) assertSelector(`${field}[${at}]`, selector)
  }
  if (request.min_changed_words !== undefined && !request.store_html)
    throw refusal('min_changed_words', 'conflicting_fields', needsBodies)
  return without(request, ...lists.filter(field => request[field]?.length === 0))
}

function assertLength(request: CrawlRequest): void {
  const texts = lists.flatMap(field => request[field] ?? [])
  const characters = texts.reduce((sum, { length }) => sum + length, 0)
  if (characters <= maxCharacters) return
  const field = lists.find(name => request[name]?.length) ?? lists[0]
  const message = `ignore_selectors, only_selectors and ignore_text together may have ${maxCharacters} characters; ${characters} were sent. Use fewer or shorter ones.`
  throw refusal(field, 'out_of_range', message)
}

function assertSelector(field: string, selector: string): void {
  const fault = selectorFault(selector)
  if (fault === null) return
  const message = `${field} is not a CSS selector: ${fault}. Use a selector such as .advert or #clock.`
  throw refusal(field, 'bad_value', message)
}

const needsBodies =
  'min_changed_words cannot be combined with store_html: false, because words are counted in stored bodies. Leave one of them out.'
