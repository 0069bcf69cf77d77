/**
 * Whether a page is only an application shell: almost no visible text, and scripts that would make its content. Uses
 * only facts that all readers of pages have. Linear in the source.
 */
import { shownSource } from './shown-source.ts'

/** Maximum number of words of the visible text. */
const maxWords = {
  /** Words beside an empty element for an application: "You need a newer browser …". */
  besideEmptyRoot: 25,
  /** Words of a loading page: "Loading, please wait". */
  whileLoading: 5,
  /** Words of a page that states that it requires JavaScript. */
  requiringScripts: 30,
}
/** Bytes that are searched. The patterns are ASCII, which is the same in nearly every encoding. */
const maxSearched = 512 * 1024

const script = /<script\b(?![^<>]{0,500}\btype=["']?(?:application\/(?:ld\+)?json|text\/template))/i
/** Names that frameworks and their templates use for the root element of an application. */
const names =
  '(?:root|app|application|app-?root|app-?container|app-?mount|react-?root|react-?app|vue-?app|__next|__nuxt|___gatsby|__layout|svelte|sapper|q-app|ember-app|elm|main-app|mount|outlet)'
const root = new RegExp(`<(?:div|main|section)\\b[^<>]{0,500}\\bid=["']?${names}(?=["'\\s>])`, 'i')
const emptyRoot = new RegExp(
  `<(div|main|section)\\b[^<>]{0,500}\\bid=["']?${names}(?=["'\\s>])[^<>]{0,500}>\\s{0,200}</\\1\\s*>`,
  'i',
)
/** A custom element. */
const ownRoot = /<(?:[a-z]{1,20}-(?:app|root|shell)|app-[a-z]{1,20}|ion-app|flutter-view)\b/i
const emptyOwnRoot =
  /<([a-z]{1,20}-(?:app|root|shell)|app-[a-z]{1,20}|ion-app|flutter-view)\b[^<>]{0,500}>\s{0,200}<\/\1\s*>/i
/** Elements that are useful without scripts. A page with one is not a shell. */
const content =
  /<(?:a\s[^<>]{0,500}\bhref|form\b|input\b|table\b|video\b|audio\b|iframe\b|frame\b|object\b|embed\b|picture\b|h[1-6]\b|article\b)/i
/** Elements that make a page without words useful. */
const drawn = /<(?:img|canvas|image|input)\b/i
const refresh = /<meta\b[^<>]{0,200}http-equiv=["']?refresh/i
const scriptNotices = [
  /\b(?:enable|turn on|activate|allow|require[sd]?|requiring|needs?|support)\b[^<>.]{0,60}\bjava ?script\b/i,
  /\bjava ?script\b[^<>.]{0,60}\b(?:enabled|required|needed|disabled|turned (?:on|off)|not available|to (?:run|work|use|view))\b/i,
]

/**
 * Returns whether only scripts can make the page's content. Challenges are not shells: test for them first.
 * `body` is decoded. `words` is the number of words of the visible text; null for content other than HTML.
 */
export function isScriptShell({ body, words }: { body: Buffer; words: number | null }): boolean {
  if (words === null || words > maxWords.requiringScripts) return false
  const source = body.toString('latin1', 0, maxSearched)
  if (!script.test(source)) return false
  const shown = shownSource(source)
  if (emptyRoot.test(shown) || emptyOwnRoot.test(shown)) return words <= maxWords.besideEmptyRoot
  if (content.test(shown)) return false
  if (scriptNotices.some(words => words.test(withoutScripts(source)))) return true
  if (root.test(shown) || ownRoot.test(shown)) return words <= maxWords.whileLoading
  return words === 0 && !drawn.test(shown) && !refresh.test(source)
}

const withoutScripts = (source: string): string => shownSource(source, ['noscript'])
