/** The kind of a page by its declared types, as far as the rules depend on it. */
import type { AuditedPage } from './audited-page.ts'

export type Kind = 'home page' | 'article' | 'product'

const articles = /^(?:\w*Article|BlogPosting|LiveBlogPosting)$/

/** Returns null if the kind is unknown. */
export function kindOf(page: AuditedPage): Kind | null {
  if (isHome(page)) return 'home page'
  if (isArticle(page)) return 'article'
  const isProduct = page.structured.items.some(({ types }) => types.includes('Product'))
  return isProduct || page.facts.metadata.og.type === 'product' ? 'product' : null
}

export const isHome = ({ url }: Pick<AuditedPage, 'url'>): boolean =>
  url.pathname === '/' && url.search === ''

/** Ignores article elements, because many themes wrap every page in one. */
export const isArticle = ({ structured, facts }: AuditedPage): boolean =>
  structured.items.some(({ types }) => types.some(type => articles.test(type))) ||
  facts.metadata.og.type === 'article'
