/** Recognizes links to the page of an author by their address. */

import type { Element } from 'domhandler'
import { textOf } from '../../tree/text-of.ts'
import { wordsIn } from '../likeness-of-words.ts'
import { isLinkedName, isShownName } from './names.ts'

/** Paths of pages that present authors: `/author/ada-moss`, `/autoren/ada-moss/`. */
const authorPath =
  /\/(?:authors?|autor(?:en|es|a|as|i|in)?|auteurs?|autore|writers?|contributors?|columnists?|journalists?|reporters?|bylines?)[/-]([^/?#]{2,80})/i

/** Paths of pages that present other people too. The name must be part of the address. */
const personPath = /\/(?:people|person|staff|team|profiles?|users?|u|members?|experts?|by)\/([^/?#]{2,80})/i

const maxAddressLength = 500

/**
 * Returns whether an element is a link to the page of an author, and its text is the name.
 * @param url Address of the page. Profiles on other sites are of the page's site, not of the author.
 */
export function isAuthorLink(element: Element, url: string): boolean {
  const { name, attribs } = element
  const address = attribs.href?.slice(0, maxAddressLength)
  if (name !== 'a' || address === undefined) return false
  const author = authorPath.exec(address)
  const found = author ?? personPath.exec(address)
  if (found === null || URL.parse(address, url)?.hostname !== URL.parse(url)?.hostname) return false
  const text = textOf(element)
  return (
    (author !== null && (isShownName(text) || isUserOf(author[1] ?? '', text))) ||
    isNamedIn(found[1] ?? '', text)
  )
}

/** Returns whether the last part of an address begins with the name, which may be a user name. */
function isNamedIn(part: string, text: string): boolean {
  const name = plain(text)
  return name.length > 2 && text.length < 60 && plain(part).startsWith(name)
}

/** Returns whether a text without capitals begins with the user name in an address: "ada moss" at `/author/ada/`. */
function isUserOf(part: string, text: string): boolean {
  const user = plain(part)
  return user.length > 2 && isLinkedName(text) && plain(text).startsWith(user)
}

const plain = (text: string): string =>
  wordsIn(text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')).join('')
