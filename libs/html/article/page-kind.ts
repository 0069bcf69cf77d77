/** Classifies a page as article, forum or listing, which decides how its main text is extracted. */
import type { Element } from 'domhandler'
import { typesOf } from '../structured/json-ld.ts'

/** The main text of a forum includes all posts; that of a listing includes the text of its items. */
export type PageKind = 'article' | 'forum' | 'listing'

type Described = Readonly<Record<string, unknown>>

/**
 * Returns the kind of a page.
 * @param described The objects of the page's JSON-LD, also nested ones.
 */
export function pageKindOf(
  elements: readonly Element[],
  described: readonly Described[],
  url: string,
): PageKind {
  const types = new Set(described.flatMap(typesOf))
  for (const { attribs } of elements) {
    const type = attribs.itemtype
    if (type !== undefined && type.length < 100) types.add(type.replace(/^https?:\/\/schema\.org\//, ''))
  }
  const isArticle = described.some(node => typesOf(node).some(type => articleType.test(type)))
  if (has(types, forumTypes)) return 'forum'
  const address = URL.parse(url)
  if (!isArticle && isForumAddress(address) && countPosts(elements) >= minPosts) return 'forum'
  if (isArticle) return 'article'
  const lists = described.some(node => typesOf(node).some(type => listingTypes.includes(type)))
  return lists || isFrontPage(address) ? 'listing' : 'article'
}

/** WordPress without pretty addresses has its articles at `/?p=12`. Parameters of campaigns do not select a page. */
const isFrontPage = (address: URL | null): boolean =>
  address?.pathname === '/' && [...address.searchParams.keys()].every(key => campaign.test(key))

const campaign = /^(?:utm_\w+|fbclid|gclid|msclkid|ref)$/

const forumTypes = ['DiscussionForumPosting', 'QAPage']
const listingTypes = ['CollectionPage', 'ItemList', 'SearchResultsPage']
const articleType = /^(?:\w*Article|BlogPosting|LiveBlogPosting|Recipe|HowTo|Report|Product|MedicalWebPage)$/
const minPosts = 2

const has = (types: ReadonlySet<string>, wanted: readonly string[]): boolean =>
  wanted.some(type => types.has(type))

const isForumAddress = (address: URL | null): boolean =>
  address !== null && (forumHost.test(address.hostname) || forumPath.test(address.pathname))

const forumHost = /(?:^|\.)(?:forums?|community|discuss|talk|boards?)\./
const forumPath =
  /\/(?:threads?|topics?|questions?|forums?|discussions?|comments)\/.|\/(?:showthread|viewtopic)\b|\/(?:t|post)\/[\w-]*\d/i

const countPosts = (elements: readonly Element[]): number => elements.filter(isPost).length

/** Returns whether an element is one post: by `data-post-id`, or by an id with a number and the name of a post in id or class. */
export function isPost({ attribs }: Element): boolean {
  if (attribs['data-post-id'] !== undefined || attribs['data-postid'] !== undefined) return true
  const id = attribs.id
  if (id === undefined || id.length > 60 || !/\d/.test(id)) return false
  return postId.test(id) || postClass.test(attribs.class ?? '')
}

const postId = /^(?:js-)?(?:post|message|msg|comment|reply|answer|p|t1|t3)[-_]?(?:message[-_])?\d+/i
const postClass = /(?:^|[\s_-])(?:posts?|message|comment|reply|answer)(?:$|[\s_-])/i
