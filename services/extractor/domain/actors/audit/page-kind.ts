/** What kind of page it says it is, as far as that changes what is to be expected of it. */
import type { AuditedPage } from './audited-page.ts'

export type Kind = 'home page' | 'article' | 'product'

const articles = /^(?:\w*Article|BlogPosting|LiveBlogPosting)$/

/** Null where nothing tells. */
export function kindOf(page: AuditedPage): Kind | null {
  if (isHome(page)) return 'home page'
  if (isArticle(page)) return 'article'
  const isProduct = page.structured.items.some(({ types }) => types.includes('Product'))
  return isProduct || page.facts.metadata.og.type === 'product' ? 'product' : null
}

export const isHome = ({ url }: Pick<AuditedPage, 'url'>): boolean =>
  url.pathname === '/' && url.search === ''

/** By what it says of itself; that a theme wraps each page in an article element says nothing. */
export const isArticle = ({ structured, facts }: AuditedPage): boolean =>
  structured.items.some(({ types }) => types.some(type => articles.test(type))) ||
  facts.metadata.og.type === 'article'
